package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTargetTest {

    @ParameterizedTest
    @CsvSource({
        "/checkout,                         /checkout",
        "/checkout?next=/free,              /checkout",
        "/checkout#top,                     /checkout",
        "/%63heckout,                       /checkout",
        "//checkout,                        /checkout",
        "/./checkout,                       /checkout",
        "/free/../checkout,                 /checkout",
        "/free/%2e%2E/checkout,             /checkout",
        "/../../checkout,                   /checkout",
        "/checkout/,                        /checkout/",
        "/checkout/.,                       /checkout/",
        "/checkout/x/..,                    /checkout/",
        "/checkout//,                       /checkout/",
        "/,                                 /",
        "/..,                               /",
        "https://shop.example/checkout?a=b, /checkout",
        "http://shop.example,               /",
        "https://shop.example?a=/checkout,  /",
        "/a%2fb,                            /a%2Fb",
        "/%e2%82%ac,                        /%E2%82%AC",
        "/%2563heckout,                     /%2563heckout",
        "/%0d%0aX:y,                        /%0D%0AX:y",
        "/a;b=c,                            /a;b=c"
    })
    void one_path_has_one_spelling(String target, String path) {
        assertThat(RequestTarget.path("header X-Forwarded-Uri", target)).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "checkout",
                "?a=b",
                "*",
                "ftp://shop.example/",
                "/a b",
                "/a\r\nX: y",
                "/caf\u00e9",
                "/100%",
                "/%6",
                "/%zz",
                "/free/..%2fcheckout",
                "/free%2F..%2Fcheckout",
                "/free%5c..%5ccheckout",
                "/free\\..\\checkout",
                "/free/.%2fcheckout"
            })
    void what_servers_would_read_in_different_ways_is_refused_and_not_repeated(String target) {
        assertThatThrownBy(() -> RequestTarget.path("header X-Forwarded-Uri", target))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.status()).isEqualTo(400))
                .message()
                .startsWith("header X-Forwarded-Uri ")
                .doesNotContain("checkout", "free");
    }

    @Test
    void it_may_have_4000_characters_without_its_query() {
        String most = "/" + "a".repeat(3_999);

        assertThat(RequestTarget.path("it", most + "?" + "b".repeat(9_000))).isEqualTo(most);
        assertThatThrownBy(() -> RequestTarget.path("it", most + "a"))
                .hasMessage("it has 4001 characters before its query; at most 4000 are allowed");
    }
}
