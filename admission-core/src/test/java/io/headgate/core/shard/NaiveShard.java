package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Naive;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.LogRecord.Attempt;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * A shard as one would write it who had all the memory and time in the world: every key of every rule in a map, every
 * change of a limit applied to all of them at once, every answer remembered, nothing swept. No cap.
 */
final class NaiveShard {

    private final int number;
    private final ShardSettings settings;
    private final Map<String, Rule> lastRules = new TreeMap<>();
    private final Map<String, Map<String, Naive>> keys = new TreeMap<>();
    private final Map<String, List<Answered>> sessions = new TreeMap<>();
    private Policy policy;
    private long now;

    NaiveShard(int number, ShardSettings settings) {
        this.number = number;
        this.settings = settings;
    }

    private record Answered(long sequence, long atMillis, List<Decision> decisions) {}

    void timeIs(long millis) {
        now = Math.max(now, millis);
    }

    void apply(Policy next) {
        if (policy != null && next.version() <= policy.version()) {
            return;
        }
        for (Rule rule : next.rules()) {
            Map<String, Naive> counted = keys.computeIfAbsent(rule.id(), id -> new TreeMap<>());
            Rule last = lastRules.put(rule.id(), rule);
            if (last == null) {
                continue;
            }
            boolean afresh = rule.resetBudgets()
                    || rule.stage() != last.stage()
                    || rule.scope() != last.scope()
                    || !rule.limit().algorithm().equals(last.limit().algorithm());
            if (afresh) {
                counted.clear();
            } else {
                counted.replaceAll((key, naive) -> naive.at(now).under(rule.limit()));
            }
        }
        policy = next;
    }

    List<Decision> answer(Optional<Attempt> attempt, List<Command> commands, long offset) {
        if (attempt.isEmpty()) {
            return decide(commands, offset);
        }
        long sequence = attempt.get().sequence();
        List<Answered> session = sessions.computeIfAbsent(
                attempt.get().gateway() + "/" + attempt.get().epoch(), name -> new ArrayList<>());
        if (!session.isEmpty() && sequence <= session.get(session.size() - 1).sequence()) {
            return repeat(session, sequence, commands.size(), offset);
        }
        List<Decision> decisions = decide(commands, offset);
        session.add(new Answered(sequence, now, decisions));
        return decisions;
    }

    private List<Decision> repeat(List<Answered> session, long sequence, int commands, long offset) {
        Answered found = null;
        for (Answered one : session) {
            if (one.sequence() % settings.attemptsPerSession() == sequence % settings.attemptsPerSession()) {
                found = one;
            }
        }
        if (found != null
                && found.sequence() == sequence
                && now < found.atMillis() + settings.attemptRetentionMillis()) {
            return found.decisions().stream()
                    .map(Decision::asReplayed)
                    .map(NaiveShard::withoutRules)
                    .toList();
        }
        List<Decision> errors = new ArrayList<>();
        for (int i = 0; i < commands; i++) {
            errors.add(undecided(Verdict.ERROR, offset, i));
        }
        return errors;
    }

    private List<Decision> decide(List<Command> commands, long offset) {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            decisions.add(decide(commands.get(i), offset, i));
        }
        return decisions;
    }

    private Decision decide(Command command, long offset, int index) {
        if (command instanceof Command.Malformed) {
            return undecided(Verdict.ERROR, offset, index);
        }
        Command.Ask ask = (Command.Ask) command;
        if (policy == null) {
            return undecided(Verdict.NOT_READY, offset, index);
        }
        if (Partitioning.shardOf(ask.admission().partitionKey(), settings.shards()) != number) {
            return undecided(Verdict.MISROUTED, offset, index);
        }
        if (now > ask.deadlineMillis()) {
            return undecided(Verdict.EXPIRED, offset, index);
        }
        return judge(ask, new DecisionId(number, offset, index));
    }

    private Decision undecided(Verdict verdict, long offset, int index) {
        return Decision.undecided(
                verdict, new DecisionId(number, offset, index), policy == null ? 0 : policy.version(), "");
    }

    /** One rule's word. */
    private record Word(Rule rule, String key, long charge, Naive naive, boolean fits) {}

    private Decision judge(Command.Ask ask, DecisionId id) {
        Admission admission = ask.admission();
        Optional<String> group = policy.routes().groupOf(admission.route());
        List<Word> words = new ArrayList<>();
        List<RuleOutcome> outcomes = new ArrayList<>();
        for (Rule rule : policy.rules(admission.stage())) {
            Optional<String> key = keyOf(rule, admission, group);
            if (key.isEmpty() || !rule.match().accepts(admission.authenticated(), group, admission.attributes())) {
                continue;
            }
            long each = rule.cost() instanceof Cost.Fixed fixed
                    ? fixed.tokens()
                    : policy.routes().costOf(group);
            long charge = BigInteger.valueOf(admission.cost(rule.meter()).orElseThrow())
                    .multiply(BigInteger.valueOf(each))
                    .min(BigInteger.valueOf(Long.MAX_VALUE))
                    .longValueExact();
            Naive naive = keys.get(rule.id())
                    .getOrDefault(key.get(), Naive.fresh(rule.limit(), now))
                    .at(now);
            boolean fits = rule.limit().tokens() > 0 && charge <= rule.limit().tokens() && naive.fits(charge);
            words.add(new Word(rule, key.get(), charge, naive, fits));
        }
        List<Word> denials = words.stream()
                .filter(word -> !word.fits() && !word.rule().shadow())
                .toList();
        boolean spends = denials.isEmpty() && !ask.peek();
        List<Word> after = words.stream()
                .map(word -> spends && word.fits()
                        ? new Word(
                                word.rule(),
                                word.key(),
                                word.charge(),
                                word.naive().spent(word.charge()),
                                true)
                        : word)
                .toList();
        if (spends) {
            after.forEach(word -> keys.get(word.rule().id()).put(word.key(), word.naive()));
        }
        if (ask.explain()) {
            outcomes = outcomes(policy.rules(admission.stage()), after);
        }
        List<String> shadowDenials = words.stream()
                .filter(word -> !word.fits() && word.rule().shadow())
                .map(word -> word.rule().id())
                .toList();
        return denials.isEmpty()
                ? allowed(id, after, shadowDenials, outcomes)
                : denied(id, denials, shadowDenials, outcomes);
    }

    private Decision allowed(DecisionId id, List<Word> after, List<String> shadowDenials, List<RuleOutcome> outcomes) {
        Word tightest = null;
        for (Word word : after) {
            boolean shown = !word.rule().shadow() && !(word.rule().limit() instanceof Unlimited);
            if (shown && (tightest == null || isTighter(word, tightest))) {
                tightest = word;
            }
        }
        return new Decision(
                Verdict.ALLOW,
                id,
                policy.version(),
                Optional.empty(),
                Optional.empty(),
                tightest == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(tightest.rule().limit().tokens()),
                tightest == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(tightest.naive().remaining()),
                tightest == null ? OptionalLong.empty() : tightest.naive().firstWait(now, Naive::untouched),
                OptionalLong.empty(),
                OptionalLong.empty(),
                shadowDenials,
                List.of(),
                List.of(),
                outcomes,
                false,
                "");
    }

    private Decision denied(DecisionId id, List<Word> denials, List<String> shadowDenials, List<RuleOutcome> outcomes) {
        Word first = denials.get(0);
        OptionalLong wait = OptionalLong.of(0);
        for (Word word : denials) {
            OptionalLong one = word.rule().limit().tokens() == 0
                            || word.charge() > word.rule().limit().tokens()
                    ? OptionalLong.empty()
                    : word.naive().firstWait(now, naive -> naive.fits(word.charge()));
            wait = wait.isEmpty() || one.isEmpty()
                    ? OptionalLong.empty()
                    : OptionalLong.of(Math.max(wait.getAsLong(), one.getAsLong()));
        }
        return new Decision(
                Verdict.DENY,
                id,
                policy.version(),
                Optional.of(first.rule().id()),
                Optional.of(first.rule().scope()),
                OptionalLong.of(first.rule().limit().tokens()),
                OptionalLong.of(first.naive().remaining()),
                first.naive().firstWait(now, Naive::untouched),
                wait,
                OptionalLong.empty(),
                shadowDenials,
                List.of(),
                List.of(),
                outcomes,
                false,
                "");
    }

    private static List<RuleOutcome> outcomes(List<Rule> rules, List<Word> after) {
        List<RuleOutcome> outcomes = new ArrayList<>();
        for (Rule rule : rules) {
            Optional<Word> word = after.stream()
                    .filter(one -> one.rule().id().equals(rule.id()))
                    .findFirst();
            Said said = word.map(one -> one.fits() ? Said.PASS : Said.DENY).orElse(Said.SKIP);
            boolean counts = word.isPresent() && !(rule.limit() instanceof Unlimited);
            outcomes.add(new RuleOutcome(
                    rule.id(), said, counts ? OptionalLong.of(word.get().naive().remaining()) : OptionalLong.empty()));
        }
        return outcomes;
    }

    private static boolean isTighter(Word one, Word than) {
        long limit = one.rule().limit().tokens();
        long otherLimit = than.rule().limit().tokens();
        if (limit == 0 || otherLimit == 0) {
            return limit == 0 && otherLimit != 0;
        }
        return BigInteger.valueOf(one.naive().remaining())
                        .multiply(BigInteger.valueOf(otherLimit))
                        .compareTo(BigInteger.valueOf(than.naive().remaining()).multiply(BigInteger.valueOf(limit)))
                < 0;
    }

    private static Optional<String> keyOf(Rule rule, Admission admission, Optional<String> group) {
        String part = switch (rule.scope()) {
            case IP -> admission.identity().ip();
            case TARGET -> admission.identity().target();
            case TENANT -> admission.identity().tenant();
            case API_KEY -> admission.identity().apiKey();
            case USER -> admission.identity().user();
            case ROUTE -> group.orElse("");
            case COMPOSITE -> throw new IllegalArgumentException("not yet");
        };
        return part.isEmpty() ? Optional.empty() : Optional.of(admission.partitionKey() + " " + part);
    }

    private static Decision withoutRules(Decision decision) {
        return new Decision(
                decision.verdict(),
                decision.id(),
                decision.policyVersion(),
                decision.denyingRule(),
                decision.scope(),
                decision.limit(),
                decision.remaining(),
                decision.resetAfterMillis(),
                decision.retryAfterMillis(),
                decision.paceAfterMillis(),
                decision.shadowDenials(),
                decision.softDenials(),
                decision.actions(),
                List.of(),
                decision.replayed(),
                decision.reason());
    }
}
