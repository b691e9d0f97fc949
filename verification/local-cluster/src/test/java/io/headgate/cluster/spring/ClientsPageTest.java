package io.headgate.cluster.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The Java of {@code docs/clients.md} is that of the clients that the tests run. */
class ClientsPageTest {

    private static final Path PAGE = Path.of("../../docs/clients.md");
    private static final Path SOURCES = Path.of("src/test/java/io/headgate/cluster/spring");
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void every_piece_of_java_on_the_page_is_in_a_client_that_the_tests_run() throws IOException {
        String clients = "";
        for (String client : List.of("SpringClients", "JsonAsking", "AvroAsking")) {
            clients += tokens(Files.readString(SOURCES.resolve(client + ".java")));
        }

        List<String> blocks = BLOCK.matcher(Files.readString(PAGE))
                .results()
                .map(block -> block.group(1))
                .toList();

        assertThat(blocks).hasSizeGreaterThan(5);
        for (String block : blocks) {
            assertThat(clients).as(block).contains(tokens(block));
        }
    }

    /** Without line breaks and indentation, which a page may have other ones of. */
    private static String tokens(String java) {
        return java.lines().map(String::strip).collect(Collectors.joining(" ")).replaceAll("\\s+", "");
    }
}
