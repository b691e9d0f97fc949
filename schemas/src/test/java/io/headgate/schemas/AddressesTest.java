package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressesTest {

    private final Addresses addresses = new Addresses(32, 64);

    @ParameterizedTest
    @CsvSource({
        "203.0.113.7, 203.0.113.7",
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "2001:0DB8:0:0::2, 2001:db8::2",
        "2001:db8:0:0:0:0:0:2, 2001:db8::2",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "FE80::ABCD, fe80::abcd",
        "::ffff:203.0.113.7, 203.0.113.7",
        "::FFFF:CB00:7107, 203.0.113.7",
        "0:0:0:0:0:ffff:203.0.113.7, 203.0.113.7",
        "0000:0000:0000:0000:0000:ffff:255.255.255.255, 255.255.255.255",
        "64:ff9b::203.0.113.7, 64:ff9b::cb00:7107",
        "::203.0.113.7, ::cb00:7107",
        "1:2:3:4:5:6:203.0.113.7, 1:2:3:4:5:6:cb00:7107"
    })
    void an_address_has_one_spelling(String written, String spelt) {
        assertThat(Addresses.spelt("ip", written)).isEqualTo(spelt);
        assertThat(Addresses.spelt("ip", spelt)).isEqualTo(spelt);
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8::1, 2001:db8::/64",
        "2001:0DB8:0:0::2, 2001:db8::/64",
        "2001:db8:0:1::2, 2001:db8:0:1::/64",
        "2001:db8:0:0:ffff:ffff:ffff:ffff, 2001:db8::/64",
        "::1, ::/64",
        "203.0.113.7, 203.0.113.7",
        "::ffff:203.0.113.7, 203.0.113.7"
    })
    void an_address_counts_by_its_prefix(String written, String counted) {
        assertThat(addresses.counted(written)).isEqualTo(counted);
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.255, 24, 64, 203.0.113.0/24",
        "203.0.113.255, 31, 64, 203.0.113.254/31",
        "203.0.113.255, 1, 64, 128.0.0.0/1",
        "127.0.0.1, 1, 64, 0.0.0.0/1",
        "2001:db8:ffff::1, 32, 48, 2001:db8:ffff::/48",
        "2001:db8:ffff::1, 32, 44, 2001:db8:fff0::/44",
        "2001:db8::1, 32, 127, 2001:db8::/127",
        "2001:db8::1, 32, 128, 2001:db8::1",
        "ffff::, 32, 1, 8000::/1"
    })
    void a_prefix_may_end_anywhere(String written, int v4, int v6, String counted) {
        assertThat(new Addresses(v4, v6).counted(written)).isEqualTo(counted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "203.0.113.7 ",
                " 203.0.113.7",
                "203.0.113.07",
                "0203.0.113.7",
                "203.0.113.256",
                "203.0.113",
                "203.0.113.7.1",
                "203.0.113.",
                ".0.113.7",
                "203..113.7",
                "203.0.113.-7",
                "203.0.113.+7",
                "0x7f.0.0.1",
                "3405803783",
                "٢٠٣.0.113.7",
                "203.0.113.７",
                "203.0.113.7:443",
                "203.0.113.7/32",
                "203.0.113.7,198.51.100.1",
                "203.0.113.7\n",
                "203.0.113.7\u0000",
                "localhost",
                "erika.example.org",
                ":",
                ":::",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "1:2:3:4::5:6:7:8",
                "::1::",
                "1::2::3",
                ":1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7:8:",
                "1:2:3:4:5:6:7:",
                "12345::",
                "g::",
                "-1::",
                "::+1",
                "2001:db8::１",
                "[2001:db8::1]",
                "[2001:db8::1]:443",
                "2001:db8::1/64",
                "fe80::1%eth0",
                "fe80::1%25eth0",
                "::ffff:203.0.113.07",
                "::ffff:203.0.113",
                "::203.0.113.7:1",
                "203.0.113.7::",
                "1:2:3:4:5:6:7:203.0.113.7",
                "::ffff:203.0.113.7.1",
                "unknown",
                "_hidden",
                "%00",
                "../../etc/passwd",
                "' OR 1=1 --"
            })
    void what_is_no_address_is_refused_without_being_repeated(String hostile) {
        assertThatThrownBy(() -> Addresses.spelt("ip", hostile))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("ip ")
                .hasMessageEndingWith("; it must be one IPv4 or IPv6 address and nothing else")
                .hasMessageNotContaining(hostile.strip());
    }

    @Test
    void a_very_long_text_is_refused() {
        assertThatThrownBy(() -> Addresses.spelt("ip", "1:".repeat(2_000))).hasMessageStartingWith("ip is no address");
        assertThatThrownBy(() -> Addresses.spelt("ip", "0000:0000:0000:0000:0000:0000:255.255.255.2555"))
                .hasMessageStartingWith("ip is no address");
    }

    @ParameterizedTest
    @CsvSource({
        "[::1], has brackets",
        "[::1]:443, has brackets",
        "203.0.113.7:443, has a port",
        "fe80::1%eth0, has a zone id",
        "2001:db8::/64, has a prefix length",
        "localhost, is no address"
    })
    void the_message_says_what_is_likely_wrong(String written, String reason) {
        assertThatThrownBy(() -> Addresses.spelt("ip", written)).hasMessageContaining("ip " + reason);
    }

    @Test
    void unknown_stays_unknown() {
        assertThat(addresses.counted("")).isEmpty();
    }

    @Test
    void a_prefix_out_of_range_is_refused() {
        assertThatThrownBy(() -> new Addresses(33, 64))
                .hasMessageContaining("33")
                .hasMessageContaining("1 to 32");
        assertThatThrownBy(() -> new Addresses(32, 0)).hasMessageContaining("0").hasMessageContaining("1 to 128");
    }

    /** The platform reads literals, and only those, without asking anybody. */
    @Test
    void any_address_is_the_one_that_the_platform_reads() throws UnknownHostException {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(4) == 0 ? 4 : 16];
            random.nextBytes(bytes);
            for (int j = 0; j < bytes.length; j += 2) {
                if (random.nextBoolean()) {
                    bytes[j] = 0;
                    bytes[j + 1] = random.nextBoolean() ? 0 : bytes[j + 1];
                }
            }
            InetAddress address = InetAddress.getByAddress(bytes);

            String spelt = Addresses.spelt("ip", address.getHostAddress());

            assertThat(InetAddress.getByName(spelt)).as(spelt).isEqualTo(address);
            assertThat(spelt).isEqualTo(spelt.toLowerCase(Locale.ROOT)).doesNotContain(":::");
            String masked = new Addresses(24, 64).counted(spelt);
            byte[] counted = InetAddress.getByName(masked.substring(0, masked.indexOf('/')))
                    .getAddress();
            int kept = bytes.length == 4 ? 3 : 8;
            assertThat(counted).as(masked).hasSize(bytes.length);
            for (int j = 0; j < bytes.length; j++) {
                assertThat(counted[j]).as(masked).isEqualTo(j < kept ? bytes[j] : 0);
            }
        }
    }
}
