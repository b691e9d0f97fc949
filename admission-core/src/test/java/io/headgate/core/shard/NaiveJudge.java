package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Naive;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** One decision, rule by rule, as the documents say it. */
final class NaiveJudge {

    private static final int MOST_NAMES = 16;

    private final Policy policy;
    private final NaiveLedger ledger;

    NaiveJudge(Policy policy, NaiveLedger ledger) {
        this.policy = policy;
        this.ledger = ledger;
    }

    /** One rule's word on a request, and its key before and after. */
    private record Word(
            Rule rule, List<String> key, long charge, long debtTokens, boolean fits, boolean hard, Naive naive) {

        Limit limit() {
            return naive.limit();
        }

        boolean counts() {
            return !(limit() instanceof Unlimited);
        }

        boolean enforced() {
            return !(rule.enforcement() instanceof Enforcement.Shadow);
        }

        boolean soft() {
            return hard && !fits;
        }

        Word charged() {
            return hard ? new Word(rule, key, charge, debtTokens, true, true, naive.spent(charge)) : this;
        }
    }

    private record Refusal(String ruleId, Scope scope, OptionalLong waitMillis, List<String> actions) {}

    /** Empty if the table of a zone is missing. */
    Optional<Decision> judge(Command.Ask ask, DecisionId id) {
        Admission admission = ask.admission();
        Optional<Refusal> refusal = refusal(admission);
        List<Rule> inOrder = inOrder(admission);
        List<Word> words = new ArrayList<>();
        for (Rule rule : inOrder) {
            Optional<List<String>> key = keyOf(rule, admission);
            if (key.isEmpty()) {
                continue;
            }
            if (ledger.isLocated(ledger.limitOf(rule, key.get().get(0)))) {
                words.add(word(rule, key.get(), admission));
            } else if (refusal.isEmpty() && !(rule.enforcement() instanceof Enforcement.Shadow)) {
                return Optional.empty();
            }
        }
        List<Word> denials =
                words.stream().filter(word -> word.enforced() && !word.hard()).toList();
        boolean admitted = refusal.isEmpty() && denials.isEmpty();
        List<Word> after =
                admitted && !ask.peek() ? words.stream().map(Word::charged).toList() : words;
        if (admitted && !ask.peek()) {
            after.stream().filter(Word::hard).forEach(word -> ledger.keep(word.rule(), word.key(), word.naive()));
        }
        Said[] said = words.stream().map(NaiveJudge::said).toArray(Said[]::new);
        List<RuleOutcome> outcomes = ask.explain() ? outcomes(inOrder, after, said) : List.of();
        List<String> shadowDenials = names(words.stream().filter(word -> !word.enforced() && !word.hard()));
        List<String> actions = new ArrayList<>(refusal.map(Refusal::actions).orElse(List.of()));
        actions.addAll(ledger.overridesOf(words.stream().map(Word::rule).toList(), admission.partitionKey()));
        actions = List.copyOf(actions.subList(0, Math.min(MOST_NAMES, actions.size())));
        return Optional.of(
                admitted
                        ? allowed(id, words, after, shadowDenials, actions, outcomes)
                        : denied(id, refusal, denials, shadowDenials, actions, outcomes));
    }

    private List<Rule> inOrder(Admission admission) {
        List<Rule> inOrder = new ArrayList<>();
        List<Scope> precedence =
                List.of(Scope.IP, Scope.TARGET, Scope.TENANT, Scope.API_KEY, Scope.USER, Scope.ROUTE, Scope.COMPOSITE);
        for (Scope scope : precedence) {
            for (Rule rule : policy.rules()) {
                if (rule.scope() == scope && rule.stage() == admission.stage()) {
                    inOrder.add(rule);
                }
            }
        }
        return inOrder;
    }

    /** Nothing if the rule does not speak of the request. */
    private Optional<List<String>> keyOf(Rule rule, Admission admission) {
        Optional<String> group = policy.routes().groupOf(admission.route());
        Match match = rule.match();
        boolean wrongCaller =
                (match.authentication() == Match.Authentication.AUTHENTICATED && !admission.authenticated())
                        || (match.authentication() == Match.Authentication.ANONYMOUS && admission.authenticated());
        boolean wrongRoute = !match.routes().isEmpty() && !match.routes().contains(group.orElse(""));
        boolean wrongAttribute = false;
        for (Map.Entry<String, String> wanted : match.attributes().entrySet()) {
            wrongAttribute |= !wanted.getValue().equals(admission.attributes().get(wanted.getKey()));
        }
        boolean over = rule.enforcement() instanceof Enforcement.Shadow shadow
                && shadow.untilMillis().orElse(Long.MAX_VALUE) <= ledger.now();
        boolean unmetered = !admission.costs().containsKey(rule.meter());
        return wrongCaller || wrongRoute || wrongAttribute || unmetered || over
                ? Optional.empty()
                : NaiveKeys.of(rule, admission, group);
    }

    private Word word(Rule rule, List<String> key, Admission admission) {
        long each = rule.cost() instanceof Cost.Fixed fixed
                ? fixed.tokens()
                : policy.routes().costOf(policy.routes().groupOf(admission.route()));
        long charge = BigInteger.valueOf(admission.costs().get(rule.meter()))
                .multiply(BigInteger.valueOf(each))
                .min(BigInteger.valueOf(Long.MAX_VALUE))
                .longValueExact();
        Naive naive = ledger.now(rule, key);
        long limit = naive.limit().tokens();
        long debtTokens = naive.limit() instanceof Unlimited ? 0 : debtTokens(rule.enforcement(), limit);
        boolean fits = limit > 0 && charge <= limit && naive.fits(charge);
        boolean hard = fits || (limit > 0 && charge <= limit + debtTokens && naive.fits(charge, debtTokens));
        return new Word(rule, key, charge, debtTokens, fits, hard, naive);
    }

    private static long debtTokens(Enforcement enforcement, long limit) {
        return enforcement instanceof Enforcement.Soft soft
                ? BigInteger.valueOf(limit)
                        .multiply(BigInteger.valueOf(soft.hardPercent() - 100))
                        .divide(BigInteger.valueOf(100))
                        .longValueExact()
                : 0;
    }

    private static Said said(Word word) {
        if (word.soft()) {
            return Said.SOFT;
        }
        return word.hard() ? Said.PASS : Said.DENY;
    }

    private Optional<Refusal> refusal(Admission admission) {
        String partitionKey = admission.partitionKey();
        if (ledger.suspended(partitionKey)) {
            return Optional.of(new Refusal("headgate.suspended", Scope.TENANT, OptionalLong.empty(), List.of()));
        }
        Action longest = null;
        for (Action action : ledger.actionsOf(partitionKey)) {
            if (action.effect() instanceof Action.Ban ban
                    && who(ban.scope(), action.subject().asAdmission()).equals(who(ban.scope(), admission))
                    && (longest == null || NaiveLedger.endOf(action) > NaiveLedger.endOf(longest))) {
                longest = action;
            }
        }
        return Optional.ofNullable(longest)
                .map(action -> new Refusal(
                        "headgate.banned",
                        ((Action.Ban) action.effect()).scope(),
                        OptionalLong.of(NaiveLedger.endOf(action) - ledger.now()),
                        List.of(action.id())));
    }

    private static String who(Scope scope, Admission admission) {
        return switch (scope) {
            case IP -> admission.identity().ip();
            case TARGET -> admission.identity().target();
            case TENANT -> admission.identity().tenant();
            case API_KEY -> admission.identity().apiKey();
            case USER -> admission.identity().user();
            default -> throw new IllegalArgumentException("nobody is banned by " + scope);
        };
    }

    private Decision allowed(
            DecisionId id,
            List<Word> words,
            List<Word> after,
            List<String> shadowDenials,
            List<String> actions,
            List<RuleOutcome> outcomes) {
        Optional<Word> tightest = Optional.empty();
        OptionalLong pace = OptionalLong.of(0);
        for (int i = 0; i < after.size(); i++) {
            Word word = after.get(i);
            if (word.enforced()
                    && word.counts()
                    && (tightest.isEmpty()
                            || isTighter(word.naive(), tightest.get().naive()))) {
                tightest = Optional.of(word);
            }
            if (word.enforced() && words.get(i).soft()) {
                pace = later(pace, wait(word, 0));
            }
        }
        List<String> softDenials = names(words.stream().filter(word -> word.enforced() && word.soft()));
        return new Decision(
                Verdict.ALLOW,
                id,
                policy.version(),
                Optional.empty(),
                Optional.empty(),
                toLong(tightest.map(word -> word.limit().tokens())),
                toLong(tightest.map(word -> word.naive().remaining())),
                tightest.map(word -> word.naive().firstWait(ledger.now(), Naive::untouched))
                        .orElse(OptionalLong.empty()),
                OptionalLong.empty(),
                softDenials.isEmpty() ? OptionalLong.empty() : pace,
                shadowDenials,
                softDenials,
                actions,
                outcomes,
                false,
                "");
    }

    private Decision denied(
            DecisionId id,
            Optional<Refusal> refusal,
            List<Word> denials,
            List<String> shadowDenials,
            List<String> actions,
            List<RuleOutcome> outcomes) {
        Optional<Word> first = refusal.isPresent() ? Optional.empty() : Optional.of(denials.get(0));
        OptionalLong wait = refusal.map(Refusal::waitMillis).orElse(OptionalLong.of(0));
        for (Word word : denials) {
            wait = later(wait, wait(word, word.debtTokens()));
        }
        return new Decision(
                Verdict.DENY,
                id,
                policy.version(),
                refusal.map(Refusal::ruleId)
                        .or(() -> first.map(word -> word.rule().id())),
                refusal.map(Refusal::scope)
                        .or(() -> first.map(word -> word.rule().scope())),
                toLong(first.map(word -> word.limit().tokens())),
                toLong(first.map(word -> word.naive().remaining())),
                first.map(word -> word.naive().firstWait(ledger.now(), Naive::untouched))
                        .orElse(OptionalLong.empty()),
                wait,
                OptionalLong.empty(),
                shadowDenials,
                List.of(),
                actions,
                outcomes,
                false,
                "");
    }

    /** How long until the charge fits when so much more than the limit may be owed. */
    private OptionalLong wait(Word word, long beyondTokens) {
        long limit = word.limit().tokens();
        return limit == 0 || word.charge() > limit + beyondTokens
                ? OptionalLong.empty()
                : word.naive().firstWait(ledger.now(), naive -> naive.fits(word.charge(), beyondTokens));
    }

    private static OptionalLong later(OptionalLong one, OptionalLong other) {
        return one.isEmpty() || other.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(one.getAsLong(), other.getAsLong()));
    }

    private static List<RuleOutcome> outcomes(List<Rule> inOrder, List<Word> after, Said[] said) {
        List<RuleOutcome> outcomes = new ArrayList<>();
        for (Rule rule : inOrder) {
            RuleOutcome outcome = new RuleOutcome(rule.id(), Said.SKIP, OptionalLong.empty());
            for (int i = 0; i < after.size(); i++) {
                Word word = after.get(i);
                if (word.rule().id().equals(rule.id())) {
                    OptionalLong left =
                            word.counts() ? OptionalLong.of(word.naive().remaining()) : OptionalLong.empty();
                    outcome = new RuleOutcome(rule.id(), said[i], left);
                }
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }

    private static boolean isTighter(Naive one, Naive than) {
        return BigInteger.valueOf(one.remaining())
                        .multiply(BigInteger.valueOf(than.limit().tokens()))
                        .compareTo(BigInteger.valueOf(than.remaining())
                                .multiply(BigInteger.valueOf(one.limit().tokens())))
                < 0;
    }

    private static List<String> names(Stream<Word> words) {
        return words.map(word -> word.rule().id()).limit(MOST_NAMES).toList();
    }

    private static OptionalLong toLong(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
