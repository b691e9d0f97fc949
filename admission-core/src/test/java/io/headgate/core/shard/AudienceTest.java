package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rollout.Tenants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AudienceTest {

    /** The overflow bucket, tenants of whom some are in any share, an address and a login name. */
    private static final List<String> PARTITION_KEYS =
            List.of("", "atlas", "birch", "cedar", "dune", "elm", "fjord", "ip:10.0.0.1", "target:kim");

    private static final List<String> NAMES = List.of("atlas", "birch", "cedar", "dune");

    private static Tenants tenants(Random random) {
        SortedSet<String> names = new TreeSet<>(NAMES);
        names.removeIf(name -> random.nextBoolean());
        int hundredths = random.nextBoolean() ? 0 : random.nextInt(Rollout.WHOLE);
        return new Tenants(names, names.isEmpty() && hundredths == 0 ? 1 : hundredths);
    }

    private static Audience audience(Random random) {
        Optional<Tenants> within = random.nextInt(4) == 0 ? Optional.empty() : Optional.of(tenants(random));
        Optional<Tenants> without = random.nextBoolean() ? Optional.empty() : Optional.of(tenants(random));
        return new Audience(within, without, random.nextBoolean());
    }

    private static List<String> in(Audience audience) {
        return PARTITION_KEYS.stream().filter(audience::includes).toList();
    }

    @Test
    void addresses_and_login_names_are_in_no_group_of_tenants() {
        Audience nearlyAll = Audience.of(new Tenants(new TreeSet<>(), Rollout.WHOLE - 1), false);

        assertThat(in(nearlyAll))
                .doesNotContain("", "ip:10.0.0.1", "target:kim")
                .contains("atlas");
        assertThat(in(Audience.EVERYBODY)).isEqualTo(PARTITION_KEYS);
    }

    @Test
    void what_is_said_of_two_audiences_is_true_of_everybody() {
        int[] said = new int[3];
        Seeds.forEach(2_000, random -> {
            Audience one = audience(random);
            Audience other = random.nextInt(4) == 0 ? one.except(tenants(random)) : audience(random);
            List<Audience> others = new ArrayList<>(List.of(audience(random), other));
            one.without().ifPresent(left -> others.add(Audience.of(left, random.nextBoolean())));

            if (one.covers(other)) {
                said[0]++;
                assertThat(in(one)).as("%s covers %s", one, other).containsAll(in(other));
            }
            if (one.isApartFrom(other)) {
                said[1]++;
                assertThat(Collections.disjoint(in(one), in(other)))
                        .as("%s is apart from %s", one, other)
                        .isTrue();
            }
            Audience filled = one.filledUpBy(others);
            if (!filled.equals(one)) {
                said[2]++;
                List<String> together = new ArrayList<>(in(one));
                others.forEach(another -> together.addAll(in(another)));
                assertThat(together).as("%s and %s", one, others).containsAll(in(filled));
            }
        });

        if (Seeds.areUsual()) {
            assertThat(IntStream.of(said).min().orElseThrow())
                    .as(Arrays.toString(said))
                    .isGreaterThan(50);
        }
    }

    @Test
    void everybody_covers_all_and_a_larger_share_a_smaller() {
        Audience half = Audience.of(new Tenants(new TreeSet<>(), 5_000), false);
        Audience tenth = Audience.of(new Tenants(new TreeSet<>(), 1_000), false);

        assertThat(Audience.EVERYBODY.covers(half)).isTrue();
        assertThat(half.covers(tenth)).isTrue();
        assertThat(tenth.covers(half)).isFalse();
        assertThat(half.covers(Audience.EVERYBODY)).isFalse();
    }

    @Test
    void those_who_stay_and_those_who_leave_have_nobody_in_common_and_are_all() {
        Tenants half = new Tenants(new TreeSet<>(), 5_000);
        Tenants named = new Tenants(new TreeSet<>(List.of("atlas")), 0);
        Audience leaving = Audience.of(half, false).except(named);
        Audience staying = Audience.of(named, false);

        assertThat(leaving.isApartFrom(staying)).isTrue();
        assertThat(staying.isApartFrom(leaving)).isTrue();
        assertThat(leaving.filledUpBy(List.of(staying)).covers(Audience.of(half, false)))
                .isTrue();
    }
}
