package io.headgate.gateway.servlet;

import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/**
 * An example: a shop in an embedded Tomcat. It knows its users by a token, and counts them; on {@code /login} it counts by
 * address, and {@code /open} is not counted.
 */
final class Shop implements AutoCloseable {

    static final int THREADS = 4;

    private static final Map<String, String> TOKENS = Map.of("token-1", "erika", "token-2", "otto", "token-3", "ida");

    private final Tomcat tomcat = new Tomcat();
    final AtomicInteger served = new AtomicInteger();

    Shop(Path folder, Limiter limiter, Feedback feedback) throws LifecycleException {
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("maxThreads", Integer.toString(THREADS));
        Context context = tomcat.addContext("", folder.toString());
        WhoAsks everybody = WhoAsks.ofTenant("shop");
        RequestAsk asks = request -> switch (request.getServletPath()) {
            case "/open" -> Optional.empty();
            case "/login" -> everybody.of(request).map(ask -> ask.only(Stage.IP));
            default -> everybody.of(request).map(ask -> ask.only(Stage.TENANT));
        };
        add(context, "authentication", new Authentication());
        add(context, "limits", new HeadgateFilter(limiter, asks, feedback));
        add(context, "plain", "/", new Plain());
        add(context, "slow", "/slow", new Slow());
        tomcat.start();
    }

    int port() {
        return tomcat.getConnector().getLocalPort();
    }

    private static void add(Context context, String name, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern("/*");
        map.setDispatcher(DispatcherType.REQUEST.name());
        map.setDispatcher(DispatcherType.ASYNC.name());
        map.setDispatcher(DispatcherType.ERROR.name());
        context.addFilterMap(map);
    }

    private static void add(Context context, String name, String path, HttpServlet servlet) {
        Wrapper wrapper = Tomcat.addServlet(context, name, servlet);
        wrapper.setAsyncSupported(true);
        wrapper.addMapping(path);
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }

    /** Whoever has a token is who it says. */
    private static final class Authentication implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            HttpServletRequest http = (HttpServletRequest) request;
            String user = TOKENS.get(String.valueOf(http.getHeader("Authorization")));
            Principal principal = user == null ? null : () -> user;
            chain.doFilter(
                    new HttpServletRequestWrapper(http) {
                        @Override
                        public Principal getUserPrincipal() {
                            return principal;
                        }
                    },
                    response);
        }
    }

    private final class Plain extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            served.incrementAndGet();
            if (request.getServletPath().equals("/broken")) {
                response.sendError(500);
                return;
            }
            response.getWriter().write("served");
        }
    }

    /** Goes aside itself, and is dispatched once more. */
    private final class Slow extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getAttribute("again") == null) {
                request.setAttribute("again", true);
                AsyncContext aside = request.startAsync(request, response);
                aside.start(aside::dispatch);
                return;
            }
            served.incrementAndGet();
            response.getWriter().write("served at last");
        }
    }
}
