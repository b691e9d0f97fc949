package io.headgate.gateway.server;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ShuttingDownException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what went wrong in the same form wherever it did, and nothing about the inside. */
final class ProblemHandler implements ServerErrorHandler {

    private static final Logger LOG = LoggerFactory.getLogger(ProblemHandler.class);

    @Override
    public HttpResponse onServiceException(ServiceRequestContext ctx, Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (cause instanceof ContentTooLargeException) {
            return problem(HttpStatus.REQUEST_ENTITY_TOO_LARGE).toHttpResponse();
        }
        if (cause instanceof HttpStatusException known) {
            return problem(known.httpStatus()).toHttpResponse();
        }
        if (cause instanceof RequestTimeoutException
                || cause instanceof ShuttingDownException
                || Exceptions.isExpected(cause)) {
            return problem(HttpStatus.SERVICE_UNAVAILABLE).toHttpResponse();
        }
        LOG.error("a request could not be served", cause);
        return problem(HttpStatus.INTERNAL_SERVER_ERROR).toHttpResponse();
    }

    @Override
    public AggregatedHttpResponse onProtocolViolation(
            ServiceConfig config, RequestHeaders headers, HttpStatus status, String description, Throwable cause) {
        return problem(status);
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            ServiceRequestContext ctx,
            ServiceConfig config,
            RequestHeaders headers,
            HttpStatus status,
            String description,
            Throwable cause) {
        return problem(status);
    }

    private static AggregatedHttpResponse problem(HttpStatus status) {
        return status.equals(HttpStatus.REQUEST_ENTITY_TOO_LARGE)
                ? CheckService.tooLong().toResponse()
                : Problem.plain(status, status.reasonPhrase()).toResponse();
    }
}
