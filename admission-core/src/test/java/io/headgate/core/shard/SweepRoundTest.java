package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SweepRoundTest {

    private static final byte[] MIDWAY = {Keys.SESSION, 7};

    @Test
    void a_round_that_ends_has_seen_what_was_stored_before_it_began() {
        SweepRound ended = SweepRound.first().finished(20).at(MIDWAY).finished(30);

        assertThat(ended.cursor()).isEqualTo(Keys.SWEPT);
        assertThat(ended.startedOffset()).isEqualTo(30);
        assertThat(ended.seenOffset()).isEqualTo(20);
    }

    @Test
    void a_round_begun_anew_starts_from_the_first_key_and_what_the_last_whole_round_saw_stays_seen() {
        SweepRound round = SweepRound.first().finished(20).finished(30).at(MIDWAY);

        SweepRound anew = round.begunAnew(40);

        assertThat(anew.cursor()).isEqualTo(Keys.SWEPT);
        assertThat(anew.startedOffset()).isEqualTo(40);
        assertThat(anew.seenOffset()).isEqualTo(20);
    }
}
