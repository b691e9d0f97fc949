package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteWriterTest {

    private static final String[] LETTERS = {"a", "~", "\u007f", "\u0080", "ü", "€", "\ud83d\ude00", "\ud83d", "\u0000"
    };

    @Test
    void a_text_is_its_utf_8_behind_its_length_however_much_room_there_is() {
        Seeds.forEach(5_000, random -> {
            String text = text(random);
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            byte[] expected = new ByteWriter()
                    .put(7)
                    .putLong(utf8.length)
                    .putRaw(utf8)
                    .put(9)
                    .toBytes();

            byte[] written = new ByteWriter(1 + random.nextInt(200))
                    .put(7)
                    .putString(text)
                    .put(9)
                    .toBytes();

            assertThat(written).as("'%s'", text).isEqualTo(expected);
            ByteReader in = new ByteReader(written);
            in.get();
            assertThat(in.getString()).isEqualTo(new String(utf8, StandardCharsets.UTF_8));
        });
    }

    @Test
    void what_it_gave_away_does_not_change_any_more() {
        ByteWriter out = new ByteWriter(2).put(1).put(2);
        byte[] given = out.toBytes();

        out.put(3).putString("abc");

        assertThat(given).containsExactly(1, 2);
        assertThat(out.toBytes()).containsExactly(1, 2, 3, 6, 'a', 'b', 'c');
    }

    @Test
    void the_size_of_ascii_is_known_beforehand() {
        for (int length : new int[] {0, 1, 63, 64, 256}) {
            String text = "x".repeat(length);
            assertThat(new ByteWriter().putString(text).toBytes()).hasSize(ByteWriter.sizeOf(text));
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int different = random.nextInt(3) == 0 ? LETTERS.length : 3;
        for (int left = random.nextInt(80); left > 0; left--) {
            text.append(LETTERS[random.nextInt(different)]);
        }
        return text.toString();
    }
}
