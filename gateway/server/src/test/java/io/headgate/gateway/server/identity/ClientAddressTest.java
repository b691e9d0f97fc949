package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpHeadersBuilder;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {

    private static final Networks PROXIES = Networks.parse("proxy.chain", List.of("10.0.0.0/8", "fd00::/8"));
    private static final InetAddress PROXY = Networks.address("10.0.0.2");
    private static final InetAddress STRANGER = Networks.address("198.51.100.66");

    private static String client(String header, InetAddress peer, String... values) {
        HttpHeadersBuilder headers = HttpHeaders.builder();
        for (String value : values) {
            headers.add(header, value);
        }
        return new ClientAddress(PROXIES, header).of(headers.build(), peer);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "203.0.113.7                          | 203.0.113.7",
                "1.2.3.4, 203.0.113.7                 | 203.0.113.7",
                "1.2.3.4, 203.0.113.7, 10.0.0.9       | 203.0.113.7",
                "10.0.0.1, 203.0.113.7,10.0.0.9,fd00::1| 203.0.113.7",
                "not an address, 203.0.113.7          | 203.0.113.7",
                ",,, 203.0.113.7                      | 203.0.113.7",
                "2001:DB8:0::1                        | 2001:db8:0:0:0:0:0:1",
                "[2001:db8::1]                        | 2001:db8:0:0:0:0:0:1",
                "[2001:db8::1]:4711                   | 2001:db8:0:0:0:0:0:1",
                "203.0.113.7:80                       | 203.0.113.7",
                "::ffff:203.0.113.7                   | 203.0.113.7",
                "::ffff:10.0.0.4                      | 10.0.0.4",
                "10.0.0.5, 10.0.0.6                   | 10.0.0.5"
            })
    void the_client_is_the_first_from_the_right_that_is_no_trusted_proxy(String forwardedFor, String client) {
        assertThat(client("X-Forwarded-For", PROXY, forwardedFor)).isEqualTo(client);
    }

    @Test
    void whoever_asks_directly_is_the_client_whatever_the_header_says() {
        assertThat(client("X-Forwarded-For", STRANGER, "203.0.113.7")).isEqualTo("198.51.100.66");
        assertThat(client("X-Forwarded-For", STRANGER, "not an address")).isEqualTo("198.51.100.66");
        assertThat(client("X-Forwarded-For", STRANGER)).isEqualTo("198.51.100.66");
    }

    @Test
    void several_header_lines_are_one_list() {
        assertThat(client("X-Forwarded-For", PROXY, "1.2.3.4", "203.0.113.7, 10.0.0.1"))
                .isEqualTo("203.0.113.7");
        assertThat(client("Forwarded", PROXY, "for=1.2.3.4", "for=203.0.113.7")).isEqualTo("203.0.113.7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unknown",
                "203.0.113.7, ",
                "203.0.113.7 203.0.113.8",
                "203.0.113.07",
                "203.0.113.7:",
                "203.0.113.7:123456",
                "[203.0.113.7",
                "fe80::1%eth0",
                "example.com",
                "203.0.113.7, unknown, 10.0.0.1"
            })
    void an_entry_of_a_trusted_proxy_that_is_no_address_is_refused_and_not_repeated(String forwardedFor) {
        assertThatThrownBy(() -> client("X-Forwarded-For", PROXY, forwardedFor))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.status()).isEqualTo(400))
                .hasMessageMatching("header X-Forwarded-For: entry [12] from the right is not an IPv4 or IPv6 address");
    }

    @Test
    void a_proxy_that_does_not_say_for_whom_is_refused() {
        assertThatThrownBy(() -> client("X-Forwarded-For", PROXY))
                .hasMessage("header X-Forwarded-For is missing; a proxy must say who its client is");
    }

    @Test
    void there_may_be_32_addresses_and_not_one_more() {
        String most = "1.2.3.4,".repeat(31) + "203.0.113.7";

        assertThat(client("X-Forwarded-For", PROXY, most)).isEqualTo("203.0.113.7");
        assertThatThrownBy(() -> client("X-Forwarded-For", PROXY, "1.2.3.4," + most))
                .hasMessage("header X-Forwarded-For has 33 addresses; at most 32 are allowed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "for=203.0.113.7                                            | 203.0.113.7",
                "For=\"203.0.113.7:47011\";proto=http;by=203.0.113.43       | 203.0.113.7",
                "proto=https; for = 1 , for=203.0.113.7                     | refused",
                "for=\"[2001:db8::1]\", for=10.0.0.3                        | 2001:db8:0:0:0:0:0:1",
                "for=\"[2001:db8::1]:80\"                                   | 2001:db8:0:0:0:0:0:1",
                "for=[2001:db8::1]                                          | 2001:db8:0:0:0:0:0:1",
                "for=1.2.3.4, for=203.0.113.7;proto=https, for=10.0.0.9     | 203.0.113.7",
                "host=\"a, for=1.2.3.4\";for=203.0.113.7                    | 203.0.113.7",
                "host=\"a\\\", for=1.2.3.4\";for=203.0.113.7                | 203.0.113.7",
                "for=\"1.2.3.4, for=203.0.113.7                             | refused",
                "for=1.2.3.4;for=203.0.113.7                                | refused",
                "proto=https                                                | refused",
                "for=_hidden                                                | refused",
                "for=unknown                                                | refused",
                "for                                                        | refused",
                "for=203.0.113.7 for=1.2.3.4                                | refused"
            })
    void forwarded_is_read_as_in_rfc_7239_as_a_whole(String forwarded, String client) {
        if (client.equals("refused")) {
            assertThatThrownBy(() -> client("Forwarded", PROXY, forwarded))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.status()).isEqualTo(400))
                    .hasMessageMatching("header Forwarded(: entry 1 from the right is not an IPv4 or IPv6 address"
                            + "| is malformed at \\d+ \\(RFC 7239\\))");
        } else {
            assertThat(client("Forwarded", PROXY, forwarded)).isEqualTo(client);
        }
    }

    @Test
    void only_the_header_that_is_set_is_read() {
        HttpHeaders both = HttpHeaders.of("Forwarded", "for=1.2.3.4", "X-Forwarded-For", "203.0.113.7");

        assertThat(new ClientAddress(PROXIES, "X-Forwarded-For").of(both, PROXY))
                .isEqualTo("203.0.113.7");
        assertThat(new ClientAddress(PROXIES, "Forwarded").of(both, PROXY)).isEqualTo("1.2.3.4");
    }
}
