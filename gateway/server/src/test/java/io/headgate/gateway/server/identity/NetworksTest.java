package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworksTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,      10.255.255.255,      true",
        "10.0.0.0/8,      11.0.0.0,            false",
        "192.168.4.0/22,  192.168.7.255,       true",
        "192.168.4.0/22,  192.168.8.0,         false",
        "192.0.2.7,       192.0.2.7,           true",
        "192.0.2.7,       192.0.2.6,           false",
        "0.0.0.0/0,       203.0.113.1,         true",
        "0.0.0.0/0,       2001:db8::1,         false",
        "2001:db8::/33,   2001:db8:7fff::1,    true",
        "2001:db8::/33,   2001:db8:8000::1,    false",
        "::1,             ::1,                 true",
        "::ffff:10.0.0.1, 10.0.0.1,            true",
        "10.0.0.1,        ::ffff:10.0.0.1,     true"
    })
    void an_address_is_in_a_network_if_the_bits_of_its_prefix_are(String network, String address, boolean is) {
        Networks networks = Networks.parse("proxy.peers", List.of(network));

        assertThat(networks.contains(Networks.address(address))).isEqualTo(is);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3/8,    an address without bits beyond its prefix",
        "2001:db8::1/64,an address without bits beyond its prefix",
        "10.0.0.0/33,   a prefix length of 0 to 32",
        "10.0.0.0/-1,   a prefix length of 0 to 32",
        "10.0.0.0/,     a prefix length of 0 to 32",
        "::/129,        a prefix length of 0 to 128",
        "localhost,     'an address, or an address, ''/'' and a prefix length'",
        "010.0.0.0/8,   'an address, or an address, ''/'' and a prefix length'"
    })
    void what_is_no_network_is_refused_with_the_setting_and_what_would_do(String text, String would) {
        assertThatThrownBy(() -> Networks.parse("proxy.peers", List.of("192.0.2.0/24", text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("setting 'proxy.peers' has '" + text + "'; it must be " + would);
    }

    @Test
    void there_may_be_256_and_not_one_more() {
        Networks.parse("proxy.peers", Collections.nCopies(256, "10.0.0.0/8"));

        assertThatThrownBy(() -> Networks.parse("proxy.peers", Collections.nCopies(257, "10.0.0.0/8")))
                .hasMessage("setting 'proxy.peers' has 257 networks; at most 256");
    }

    @Test
    void without_any_nobody_is_in_them() {
        assertThat(Networks.parse("proxy.peers", List.of()).contains(Networks.address("127.0.0.1")))
                .isFalse();
    }
}
