package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Check;
import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.UnknownZoneException;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.Buckets.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * One decision: all rules of a stage that match are asked in order of precedence; if every enforced one permits, all of
 * them are debited, otherwise none is and the first that denied is named. A ban or a suspension goes before all rules.
 */
final class Deciding {

    private final Policy policy;
    private final Accounts accounts;
    private final Buckets buckets;
    private final Tracer tracer;
    private final long nowMillis;

    Deciding(Policy policy, Accounts accounts, Buckets buckets, Tracer tracer, long nowMillis) {
        this.policy = policy;
        this.accounts = accounts;
        this.buckets = buckets;
        this.tracer = tracer;
        this.nowMillis = nowMillis;
    }

    /** A rule's counter and what is left of its limit once the decision is carried out. */
    private record Left(Asked asked, Counter counter, long remainingTokens) {

        Limit limit() {
            return asked.bucket().limit();
        }
    }

    /** What every decision of a request says, whatever comes of it. */
    private record Common(
            DecisionId id, List<String> shadowDenials, List<String> actions, List<RuleOutcome> outcomes) {}

    /** Decides; debits unless this is only a peek. */
    Decision decide(Command.Ask ask, DecisionId id) {
        Admission admission = ask.admission();
        AccountEntry account = accounts.of(admission.partitionKey());
        Optional<String> group = policy.routes().groupOf(admission.route());
        Optional<Refusal> refusal = Refusal.of(account, admission, nowMillis);
        List<Rule> rules = policy.rules(admission.stage());
        List<Asked> asked = new ArrayList<>(rules.size());
        for (Rule rule : rules) {
            if (rule.enforcement() instanceof Enforcement.Shadow shadow && shadow.isOver(nowMillis)) {
                continue;
            }
            ask(rule, admission, group, account, refusal.isPresent() || rule.shadow())
                    .ifPresent(asked::add);
        }
        List<Asked> denials = Asked.those(asked, one -> one.enforced() && one.denies());
        boolean admitted = refusal.isEmpty() && denials.isEmpty();
        boolean debits = admitted && !ask.peek();
        Common common = new Common(
                id,
                shown(Asked.those(asked, one -> !one.enforced() && one.denies())),
                actions(account, refusal, asked),
                ask.explain() ? Explaining.outcomes(rules, asked, debits) : List.of());
        Decision decision = admitted ? allow(common, asked, debits) : deny(common, refusal, denials);
        if (!ask.peek()) {
            showShadow(asked, admission.partitionKey());
        }
        if (ask.trace() || isWanted(decision)) {
            show(decision, admission, group, asked, debits);
        }
        return decision;
    }

    private void showShadow(List<Asked> asked, String partitionKey) {
        for (Asked one : asked) {
            if (!one.enforced()) {
                try {
                    tracer.shadow(one.rule(), partitionKey, one.denies());
                } catch (RuntimeException lost) {
                    // As below.
                }
            }
        }
    }

    private boolean isWanted(Decision decision) {
        try {
            return tracer.wants(decision.id(), decision.verdict());
        } catch (RuntimeException lost) {
            return false;
        }
    }

    private void show(
            Decision decision, Admission admission, Optional<String> group, List<Asked> asked, boolean debits) {
        try {
            tracer.take(Explaining.trace(decision, nowMillis, admission, group, asked, debits));
        } catch (RuntimeException lost) {
            // Another process folds the same log with another tracer, and must come to the same decision.
        }
    }

    /** What a rule says; one whose zone has no table yet and that cannot change the verdict says nothing. */
    private Optional<Asked> ask(
            Rule rule, Admission admission, Optional<String> group, AccountEntry account, boolean dispensable) {
        try {
            return ask(rule, admission, group, account);
        } catch (UnknownZoneException notYet) {
            if (dispensable) {
                return Optional.empty();
            }
            throw notYet;
        }
    }

    private Optional<Asked> ask(Rule rule, Admission admission, Optional<String> group, AccountEntry account) {
        OptionalLong units = admission.cost(rule.meter());
        if (units.isEmpty() || !rule.match().accepts(admission.authenticated(), group, admission.attributes())) {
            return Optional.empty();
        }
        Optional<StateKey> key = Keys.bucket(rule, admission, group);
        if (key.isEmpty()) {
            return Optional.empty();
        }
        Bucket bucket = buckets.find(rule, key.get(), account, policy.bucketsPerRuleAndShard());
        long charge = Limit.charge(units.getAsLong(), costOfOne(rule, group));
        Check check = check(bucket, bucket.limit(), charge);
        Check hard = rule.enforcement() instanceof Enforcement.Soft soft && !check.permitted()
                ? check(bucket, hardLimit(soft, bucket.limit()), charge)
                : check;
        return Optional.of(new Asked(rule, bucket, charge, check, hard));
    }

    private Check check(Bucket bucket, Limit limit, long charge) {
        return limit.tokens() == 0 ? Check.DENY_EVERYTHING : limit.check(bucket.counter(), charge, nowMillis);
    }

    /** An override may be near the end of what its algorithm can count; nothing is owed beyond that. */
    private static Limit hardLimit(Enforcement.Soft soft, Limit limit) {
        try {
            return limit.raised(soft.debtTokens(limit.tokens()));
        } catch (IllegalArgumentException outOfRange) {
            return limit;
        }
    }

    private long costOfOne(Rule rule, Optional<String> group) {
        return rule.cost() instanceof Cost.Fixed fixed
                ? fixed.tokens()
                : policy.routes().costOf(group);
    }

    private Decision allow(Common common, List<Asked> asked, boolean debits) {
        Optional<Left> tightest = Optional.empty();
        List<OptionalLong> paces = new ArrayList<>(0);
        for (Asked one : asked) {
            if (one.denies()) {
                continue;
            }
            Counter counter = debits
                    ? buckets.debit(one.rule(), one.bucket(), one.charge())
                    : one.bucket().counter();
            Left left = new Left(one, counter, one.remainingTokens(debits));
            if (one.enforced() && one.soft()) {
                paces.add(paceAfterMillis(left));
            }
            if (one.enforced() && one.limited() && (tightest.isEmpty() || isTighter(left, tightest.get()))) {
                tightest = Optional.of(left);
            }
        }
        return new Decision(
                Verdict.ALLOW,
                common.id(),
                policy.version(),
                Optional.empty(),
                Optional.empty(),
                toLong(tightest.map(left -> left.limit().tokens())),
                toLong(tightest.map(Left::remainingTokens)),
                tightest.map(left -> left.limit().resetAfterMillis(left.counter(), nowMillis))
                        .orElse(OptionalLong.empty()),
                OptionalLong.empty(),
                longest(paces),
                common.shadowDenials(),
                shown(Asked.those(asked, one -> one.enforced() && one.soft())),
                common.actions(),
                common.outcomes(),
                false,
                "");
    }

    /** After what was taken: the wait after which as much would be within the limit again. */
    private OptionalLong paceAfterMillis(Left left) {
        return left.limit()
                .check(left.counter(), left.asked().charge(), nowMillis)
                .retryAfterMillis();
    }

    private Decision deny(Common common, Optional<Refusal> refusal, List<Asked> denials) {
        Optional<Asked> first = refusal.isPresent() ? Optional.empty() : Optional.of(denials.get(0));
        List<OptionalLong> waits = new ArrayList<>(denials.size() + 1);
        refusal.ifPresent(it -> waits.add(it.retryAfterMillis()));
        for (Asked denial : denials) {
            waits.add(denial.hard().retryAfterMillis());
        }
        return new Decision(
                Verdict.DENY,
                common.id(),
                policy.version(),
                refusal.map(Refusal::ruleId)
                        .or(() -> first.map(one -> one.rule().id())),
                refusal.map(Refusal::scope).or(() -> first.map(one -> one.rule().scope())),
                toLong(first.map(one -> one.bucket().limit().tokens())),
                toLong(first.map(one -> one.check().remainingTokens())),
                first.map(one -> one.bucket()
                                .limit()
                                .resetAfterMillis(one.bucket().counter(), nowMillis))
                        .orElse(OptionalLong.empty()),
                longest(waits),
                OptionalLong.empty(),
                common.shadowDenials(),
                List.of(),
                common.actions(),
                common.outcomes(),
                false,
                refusal.map(Refusal::reason).orElse(""));
    }

    /** The longest of the waits; none if there is none, or one of them is unknown: after the others that would still deny. */
    private static OptionalLong longest(List<OptionalLong> waits) {
        OptionalLong longest = OptionalLong.empty();
        for (OptionalLong wait : waits) {
            if (wait.isEmpty()) {
                return wait;
            }
            longest = longest.isEmpty() || wait.getAsLong() > longest.getAsLong() ? wait : longest;
        }
        return longest;
    }

    private static boolean isTighter(Left left, Left best) {
        return Limit.compareRemaining(
                        left.remainingTokens(), left.limit().tokens(),
                        best.remainingTokens(), best.limit().tokens())
                < 0;
    }

    /** The ids of the actions that had a part in it, of overrides those that decided a limit. */
    private static List<String> actions(AccountEntry account, Optional<Refusal> refusal, List<Asked> asked) {
        if (account.actions().isEmpty()) {
            return List.of();
        }
        Set<String> deciding = new TreeSet<>();
        for (Asked one : asked) {
            if (!one.bucket().shared()) {
                account.overrideOf(one.rule()).ifPresent(deciding::add);
            }
        }
        Stream<String> overrides = account.actions().stream().map(Action::id).filter(deciding::contains);
        return Stream.concat(refusal.flatMap(Refusal::actionId).stream(), overrides)
                .limit(Decision.MAX_SHADOW_DENIALS)
                .toList();
    }

    /** The ids of as many as a decision may name. */
    private static List<String> shown(List<Asked> some) {
        return some.isEmpty()
                ? List.of()
                : some.stream()
                        .map(one -> one.rule().id())
                        .limit(Decision.MAX_SHADOW_DENIALS)
                        .toList();
    }

    private static OptionalLong toLong(Optional<Long> value) {
        return value.map(OptionalLong::of).orElse(OptionalLong.empty());
    }
}
