package io.headgate.gateway.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An example of a service: it greets whom it is told, one at a time or many in one call. */
final class Greeter {

    static final MethodDescriptor<String, String> GREET =
            method("shop.Greeter/Greet", MethodDescriptor.MethodType.UNARY);
    static final MethodDescriptor<String, String> GREET_ALL =
            method("shop.Greeter/GreetAll", MethodDescriptor.MethodType.BIDI_STREAMING);

    final AtomicInteger greeted = new AtomicInteger();

    ServerServiceDefinition service() {
        return ServerServiceDefinition.builder("shop.Greeter")
                .addMethod(GREET, ServerCalls.asyncUnaryCall((name, answers) -> {
                    answers.onNext(greeting(name));
                    answers.onCompleted();
                }))
                .addMethod(GREET_ALL, ServerCalls.asyncBidiStreamingCall(this::greetAll))
                .build();
    }

    private StreamObserver<String> greetAll(StreamObserver<String> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(String name) {
                answers.onNext(greeting(name));
            }

            @Override
            public void onError(Throwable gone) {
                // Nobody is left to be greeted.
            }

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }

    private String greeting(String name) {
        greeted.incrementAndGet();
        return "Good day, " + name;
    }

    static String greet(Channel channel, String name, ClientInterceptor... more) {
        return ClientCalls.blockingUnaryCall(
                ClientInterceptors.intercept(channel, more), GREET, CallOptions.DEFAULT, name);
    }

    /** Sends the names at once, as a client does that does not wait for answers. */
    static List<String> greetAll(Channel channel, List<String> names) throws InterruptedException {
        List<String> answers = new ArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        StreamObserver<String> requests = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(GREET_ALL, CallOptions.DEFAULT), new StreamObserver<>() {
                    @Override
                    public void onNext(String answer) {
                        answers.add(answer);
                    }

                    @Override
                    public void onError(Throwable failed) {
                        answers.add(failed.toString());
                        done.countDown();
                    }

                    @Override
                    public void onCompleted() {
                        done.countDown();
                    }
                });
        names.forEach(requests::onNext);
        requests.onCompleted();
        if (!done.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the call did not end; answers so far: " + answers);
        }
        return answers;
    }

    private static MethodDescriptor<String, String> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<String, String>newBuilder(new Text(), new Text())
                .setFullMethodName(name)
                .setType(type)
                .build();
    }

    private static final class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String value) {
            return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream stream) {
            try {
                return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }
    }
}
