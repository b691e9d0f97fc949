package io.headgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.ShuttingDownException;
import com.linecorp.armeria.server.ServiceRequestContext;
import org.junit.jupiter.api.Test;

/** What a caller gets when a request is not served at all. */
class ProblemHandlerTest {

    private final ServiceRequestContext ctx =
            ServiceRequestContext.of(HttpRequest.of(HttpMethod.POST, CheckService.PATH));

    private AggregatedHttpResponse answerTo(Throwable thrown) {
        return new ProblemHandler().onServiceException(ctx, thrown).aggregate().join();
    }

    @Test
    void a_gateway_that_is_stopping_could_not_decide() {
        assertThat(answerTo(ShuttingDownException.get()).status().code()).isEqualTo(503);
        assertThat(answerTo(ClosedSessionException.get()).status().code()).isEqualTo(503);
    }

    @Test
    void a_bug_is_a_bug() {
        AggregatedHttpResponse answer = answerTo(new IllegalStateException("secret-user-17"));

        assertThat(answer.status().code()).isEqualTo(500);
        assertThat(answer.contentUtf8()).doesNotContain("secret-user-17");
    }
}
