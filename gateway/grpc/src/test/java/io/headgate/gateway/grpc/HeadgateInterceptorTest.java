package io.headgate.gateway.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Any;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.Jitter;
import io.headgate.gateway.client.testing.FoldingLimiter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Over a channel in the process and over a real one. */
class HeadgateInterceptorTest {

    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> RATELIMIT =
            Metadata.Key.of("ratelimit", Metadata.ASCII_STRING_MARSHALLER);
    private static final Context.Key<String> USER = Context.key("user");

    private final FoldingLimiter limiter = new FoldingLimiter(
            new Responses(EnumSet.of(Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), Audience.AUTHENTICATED, 0, 0));
    private final Greeter greeter = new Greeter();
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private Server server;
    private ManagedChannel channel;

    enum Transport {
        IN_PROCESS,
        TCP
    }

    /** Takes the token for the user's name. */
    private static final class Authentication implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            return Contexts.interceptCall(Context.current().withValue(USER, headers.get(TOKEN)), call, headers, next);
        }
    }

    private static Optional<Ask> ask(ServerCall<?, ?> call, Metadata headers) {
        String user = USER.get();
        if (user == null) {
            return WhoCalls.ofTenant("shop").of(call, headers).map(ask -> ask.only(Stage.TENANT));
        }
        return Optional.of(Ask.of(
                        Caller.unknown().withTenant("shop").withUser(user),
                        true,
                        "POST /" + call.getMethodDescriptor().getFullMethodName())
                .only(Stage.TENANT));
    }

    private Channel start(Transport transport) throws Exception {
        return start(transport, HeadgateInterceptorTest::ask);
    }

    private Channel start(Transport transport, CallAsk asks) throws Exception {
        String name = InProcessServerBuilder.generateName();
        ServerBuilder<?> builder = transport == Transport.IN_PROCESS
                ? InProcessServerBuilder.forName(name)
                : NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        HeadgateInterceptor interceptor =
                new HeadgateInterceptor(limiter, asks, new Feedback(limiter, 2_000, Jitter.random()), executor);
        server = builder.executor(executor)
                .addService(greeter.service())
                .intercept(interceptor)
                .intercept(new Authentication())
                .build()
                .start();
        channel = transport == Transport.IN_PROCESS
                ? InProcessChannelBuilder.forName(name).build()
                : NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .build();
        return channel;
    }

    @AfterEach
    void stop() throws Exception {
        channel.shutdownNow();
        server.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
        executor.shutdownNow();
    }

    private static String greet(Channel channel, String user) {
        Metadata headers = new Metadata();
        headers.put(TOKEN, user);
        return Greeter.greet(channel, user, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private static StatusRuntimeException refusal(Channel channel, String user) {
        return catchThrowableOfType(StatusRuntimeException.class, () -> greet(channel, user));
    }

    private void spendTheTenantsBudget(Channel channel) {
        for (String user : List.of("erika", "erika", "otto", "otto", "ida")) {
            assertThat(greet(channel, user)).isEqualTo("Good day, " + user);
        }
    }

    private static List<Any> details(StatusRuntimeException refused) {
        com.google.rpc.Status status = refused.getTrailers().get(Refusal.DETAILS);
        assertThat(status.getCode()).isEqualTo(refused.getStatus().getCode().value());
        return status.getDetailsList();
    }

    @ParameterizedTest
    @EnumSource
    void within_policy_the_service_answers_and_the_headers_say_what_is_left(Transport transport) throws Exception {
        Channel toService = start(transport);
        AtomicReference<Metadata> headers = new AtomicReference<>();
        Metadata token = new Metadata();
        token.put(TOKEN, "erika");

        String answer = Greeter.greet(
                toService,
                "erika",
                MetadataUtils.newAttachHeadersInterceptor(token),
                MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>()));

        assertThat(answer).isEqualTo("Good day, erika");
        assertThat(headers.get().get(RATELIMIT)).startsWith("\"P-USER\";r=2");
    }

    @ParameterizedTest
    @EnumSource
    void over_policy_it_is_RESOURCE_EXHAUSTED_with_the_wait_and_the_rule(Transport transport) throws Exception {
        Channel toService = start(transport);
        spendTheTenantsBudget(toService);

        StatusRuntimeException refused = refusal(toService, "ida");

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refused.getTrailers().get(Refusal.PUSHBACK)).isEqualTo("4000");
        List<Any> details = details(refused);
        assertThat(details).hasSize(2);
        assertThat(details.get(0).unpack(RetryInfo.class).getRetryDelay().getSeconds())
                .isEqualTo(4);
        assertThat(details.get(1).unpack(QuotaFailure.class).getViolations(0).getSubject())
                .isEqualTo("tenant:P-TENANT");
        assertThat(greeter.greeted).hasValue(5);
    }

    @ParameterizedTest
    @EnumSource
    void a_denial_without_an_honest_hint_invents_none(Transport transport) throws Exception {
        Channel toService = start(transport);
        for (int i = 0; i < 3; i++) {
            greet(toService, "erika");
        }

        StatusRuntimeException refused = refusal(toService, "erika");

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refused.getTrailers().get(Refusal.PUSHBACK)).isNull();
        assertThat(details(refused)).singleElement().matches(detail -> detail.is(QuotaFailure.class));
    }

    @ParameterizedTest
    @EnumSource
    void an_anonymous_caller_learns_when_to_come_back_and_no_rule(Transport transport) throws Exception {
        Channel toService = start(transport);
        spendTheTenantsBudget(toService);

        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> Greeter.greet(toService, "nobody"));

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(refused.getTrailers().get(Refusal.PUSHBACK)).isEqualTo("4000");
        assertThat(details(refused)).singleElement().matches(detail -> detail.is(RetryInfo.class));
    }

    @ParameterizedTest
    @EnumSource
    void where_nobody_could_decide_it_is_UNAVAILABLE(Transport transport) throws Exception {
        Channel toService = start(transport);
        limiter.answerInstead(ask ->
                CompletableFuture.completedFuture(Unavailable.because(Cause.DEADLINE, "no answer within 1000 ms")));

        StatusRuntimeException refused = refusal(toService, "erika");

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(refused.getTrailers().get(Refusal.PUSHBACK)).isEqualTo("2000");
        assertThat(greeter.greeted).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void a_limiter_that_fails_with_a_bug_is_one_that_could_not_decide(Transport transport) throws Exception {
        Channel toService = start(transport);
        limiter.answerInstead(ask -> CompletableFuture.failedFuture(new IllegalStateException("bug")));

        assertThat(refusal(toService, "erika").getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @ParameterizedTest
    @EnumSource
    void a_conflicting_idempotency_key_is_FAILED_PRECONDITION(Transport transport) throws Exception {
        Channel toService = start(transport);
        limiter.answerInstead(
                ask -> CompletableFuture.completedFuture(Unavailable.because(Cause.CONFLICT, "CONFLICT")));

        assertThat(refusal(toService, "erika").getStatus().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    }

    /** The executor has two threads; forty calls wait, and a call that is not counted passes them by. */
    @ParameterizedTest
    @EnumSource
    void no_thread_waits_for_answers(Transport transport) throws Exception {
        Channel toService =
                start(transport, (call, headers) -> "open".equals(USER.get()) ? Optional.empty() : ask(call, headers));
        CompletableFuture<Answer> decision = new CompletableFuture<>();
        CompletableFuture<Void> allAsked = new CompletableFuture<>();
        int many = 40;
        List<Ask> asked = new ArrayList<>();
        limiter.answerInstead(ask -> {
            synchronized (asked) {
                asked.add(ask);
                if (asked.size() == many) {
                    allAsked.complete(null);
                }
            }
            return decision;
        });
        ExecutorService callers = Executors.newFixedThreadPool(many);
        try {
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                answers.add(CompletableFuture.supplyAsync(() -> greet(toService, "erika"), callers));
            }
            allAsked.get(60, TimeUnit.SECONDS);
            assertThat(greet(toService, "open")).isEqualTo("Good day, open");
            assertThat(answers).noneMatch(CompletableFuture::isDone);

            decision.complete(new FoldingLimiter().admit(asked.get(0)).join());

            for (CompletableFuture<String> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("Good day, erika");
            }
        } finally {
            callers.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_a_caller_streams_meanwhile_is_served_in_order(Transport transport) throws Exception {
        Channel toService = start(transport);
        FoldingLimiter elsewhere = new FoldingLimiter();
        limiter.answerInstead(ask -> CompletableFuture.supplyAsync(
                () -> elsewhere.admit(ask.withCost(0)).join(),
                CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)));
        List<String> names = new ArrayList<>();
        List<String> greetings = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            names.add("n" + i);
            greetings.add("Good day, n" + i);
        }

        for (int round = 0; round < 10; round++) {
            assertThat(Greeter.greetAll(toService, names)).isEqualTo(greetings);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_denial_that_comes_later_closes_the_call_too(Transport transport) throws Exception {
        Channel toService = start(transport);
        FoldingLimiter elsewhere = new FoldingLimiter();
        limiter.answerInstead(ask -> CompletableFuture.supplyAsync(
                () -> elsewhere.admit(ask.withCost(6)).join(),
                CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)));

        assertThat(refusal(toService, "erika").getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(greeter.greeted).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void who_calls_is_what_the_connection_knows(Transport transport) throws Exception {
        Channel toService = start(transport);

        Greeter.greet(toService, "nobody");

        Ask ask = limiter.lastAsk();
        assertThat(ask.route()).isEqualTo("POST /shop.Greeter/Greet");
        assertThat(ask.authenticated()).isFalse();
        assertThat(ask.caller().user()).isEmpty();
        assertThat(ask.caller().ip()).isEqualTo(transport == Transport.TCP ? "127.0.0.1" : "");
    }

    @ParameterizedTest
    @EnumSource
    void what_cannot_be_counted_is_INVALID_ARGUMENT_and_repeats_nothing(Transport transport) throws Exception {
        Channel toService = start(transport, (call, headers) -> {
            throw new IllegalArgumentException("erika");
        });

        StatusRuntimeException refused = refusal(toService, "erika");

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(refused.getStatus().getDescription()).doesNotContain("erika");
    }
}
