package io.headgate.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.tools.AccessLog.Entry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessLogTest {

    private static final long T = 1_431_857_103_000L; // 17/May/2015:10:05:03 +0000
    private static final String AT_T = "[17/May/2015:10:05:03 +0000]";

    @Test
    void reads_a_real_log_and_puts_it_in_order() throws IOException {
        AccessLog log = AccessLog.read(Path.of("src/test/resources/access.log"));

        assertThat(log.entries()).hasSize(10_000);
        assertThat(log.badLines()).isZero();
        assertThat(log.outOfOrder()).isEqualTo(4_915);
        assertThat(log.entries()).isSortedAccordingTo((a, b) -> Long.compare(a.timeMillis(), b.timeMillis()));
        assertThat(log.entries())
                .allMatch(entry -> !entry.method().isEmpty() && entry.target().startsWith("/"));
    }

    @Test
    void reads_the_common_format() {
        assertThat(entry("10.0.0.1 - - " + AT_T + " \"GET /a?b=c HTTP/1.1\" 200 203023"))
                .isEqualTo(new Entry(T, "10.0.0.1", "", "GET", "/a?b=c", 200, 203_023, ""));
        assertThat(entry("10.0.0.1 - - " + AT_T + " \"GET /a?b=c HTTP/1.1\" 200 1")
                        .route())
                .isEqualTo("GET /a?b=c");
    }

    @Test
    void reads_the_combined_format_with_quotes_in_the_agent() {
        assertThat(entry("2001:db8::1 - frank smith " + AT_T
                        + " \"POST /reports/export HTTP/2.0\" 429 - \"http://x/?q=\\\"\""
                        + " \"Agent \\\"7\\\" \\\\ \\x16\""))
                .isEqualTo(new Entry(
                        T, "2001:db8::1", "frank smith", "POST", "/reports/export", 429, 0, "Agent \"7\" \\ \\x16"));
    }

    @Test
    void reads_what_the_server_left_out_as_empty() {
        assertThat(entry("::1 - - " + AT_T + " \"-\" 408 - \"-\" \"-\""))
                .isEqualTo(new Entry(T, "::1", "", "", "", 408, 0, ""));
        assertThat(entry("::1 - - " + AT_T + " \"\\x16\\x03\\x01\" - -"))
                .isEqualTo(new Entry(T, "::1", "", "", "", 0, 0, ""));
        assertThat(entry("::1 - - " + AT_T + " \"\" 400 0")).isEqualTo(new Entry(T, "::1", "", "", "", 400, 0, ""));
    }

    @Test
    void reads_odd_request_lines_as_far_as_they_go() {
        assertThat(entry("::1 - - " + AT_T + " \"GET /\" 200 1").target()).isEqualTo("/");
        assertThat(entry("::1 - - " + AT_T + " \"GET /a b HTTP/1.0\" 200 1").target())
                .isEqualTo("/a b");
    }

    @Test
    void passes_over_further_fields() {
        assertThat(entry("::1 - - " + AT_T + " \"GET / HTTP/1.1\" 200 1 \"-\" \"curl\" \"10.0.0.9\" 0.002")
                        .agent())
                .isEqualTo("curl");
        assertThat(entry("::1 - - " + AT_T + " \"GET / HTTP/1.1\" 200 1 0.002").agent())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "17/May/2015:10:05:03 +0000, 0",
        "17/May/2015:12:05:03 +0200, 0",
        "16/May/2015:23:35:03 -1030, 0",
        "17/May/2015:10:05:04 +0000, 1000",
        "29/Feb/2016:00:00:00 +0000, 24846897000",
    })
    void reads_times_in_any_zone(String time, long millisAfterT) {
        assertThat(entry("::1 - - [" + time + "] \"GET / HTTP/1.1\" 200 1").timeMillis())
                .isEqualTo(T + millisAfterT);
    }

    @Test
    void names_the_lines_that_it_cannot_read() throws IOException {
        AccessLog log = read(
                "hello",
                "::1 - - " + AT_T + " \"GET / HTTP/1.1\" 200 1",
                "",
                "::1 - - [30/Feb/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1",
                "::1 - - [31/Dec/1969:23:59:59 +0000] \"GET / HTTP/1.1\" 200 1",
                "::1 - - [17/May/2015:10:05:03 +0000 \"GET / HTTP/1.1\" 200 1",
                "::1 - - " + AT_T + " \"GET / HTTP/1.1 200 1",
                "::1 - - " + AT_T + " \"GET / HTTP/1.1\" OK 1",
                "::1 - - " + AT_T + " \"GET / HTTP/1.1\" 200",
                "example.com:80 ::1 - - " + AT_T + " \"GET / HTTP/1.1\" 200 1",
                "\u0007" + "x".repeat(200));

        assertThat(log.entries()).hasSize(1);
        assertThat(log.badLines()).isEqualTo(9);
        assertThat(log.firstBadLines())
                .extracting(BadLine::lineNumber)
                .containsExactly(1L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L);
        assertThat(log.firstBadLines())
                .extracting(BadLine::why)
                .containsExactly(
                        "ends before its identity",
                        "has the time '30/Feb/2015:10:05:03 +0000'; it must be one since 1970, like 17/May/2015:10:05:03 +0000",
                        "has the time '31/Dec/1969:23:59:59 +0000'; it must be one since 1970, like 17/May/2015:10:05:03 +0000",
                        "has no ']' before its request",
                        "has no quote after its request",
                        "has the status 'OK', which is none",
                        "ends before its size",
                        "does not begin with an address, an identity and a user",
                        "ends before its identity");
        assertThat(log.firstBadLines().get(0)).hasToString("line 1 ends before its identity: hello");
        assertThat(log.firstBadLines().get(8).text()).isEqualTo("?" + "x".repeat(118) + "…");
    }

    @Test
    void keeps_the_first_ten_bad_lines_and_counts_all() throws IOException {
        AccessLog log = read("x\n".repeat(25));

        assertThat(log.badLines()).isEqualTo(25);
        assertThat(log.firstBadLines()).hasSize(AccessLog.BAD_LINES_KEPT);
    }

    @Test
    void takes_the_longest_line_and_goes_on_after_a_longer_one() throws IOException {
        String start = "::1 - - " + AT_T + " \"GET /";
        String end = " HTTP/1.1\" 200 1";
        String longest = start + "a".repeat(Lines.MAX_BYTES - start.length() - end.length()) + end;

        AccessLog log = read(longest, "a" + longest, start + end);

        assertThat(log.entries()).hasSize(2);
        assertThat(log.firstBadLines())
                .singleElement()
                .extracting(BadLine::why)
                .isEqualTo("is longer than 65536 bytes");
    }

    @Test
    void keeps_the_order_of_the_file_within_a_moment() throws IOException {
        String late = "10.0.0.9 - - [17/May/2015:10:05:04 +0000] \"GET / HTTP/1.1\" 200 1";
        String first = "10.0.0.1 - - " + AT_T + " \"GET /1 HTTP/1.1\" 200 1";
        String second = "10.0.0.1 - - " + AT_T + " \"GET /2 HTTP/1.1\" 200 1\r";

        AccessLog log = read(late, first, second);

        assertThat(log.entries()).extracting(Entry::target).containsExactly("/1", "/2", "/");
        assertThat(log.outOfOrder()).isEqualTo(1);
    }

    private static Entry entry(String line) {
        try {
            return AccessLogLine.parse(line);
        } catch (UnreadableLineException e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private static AccessLog read(String... lines) throws IOException {
        String text = String.join("\n", List.of(lines));
        return AccessLog.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), AccessLogLine::parse);
    }
}
