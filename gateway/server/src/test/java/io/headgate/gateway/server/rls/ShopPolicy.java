package io.headgate.gateway.server.rls;

import java.util.List;

/**
 * A policy as an import writes it, for the domain {@code shop}, and rules of its own for who asks. By descriptor:
 *
 * <pre>
 * (path)            3 a minute for each path        (plan, free)   as many as they like
 * (path, /hot)      1 a minute                      (trial)        none, in shadow
 * (ten)             10 in 10 s                      (bucket)       5, and 1 a second
 * (a), (b)          2 an hour                       (zero, out)    none
 * (remote_address)  2 a minute in stage ip          (account)      4 a day for each user
 * </pre>
 */
final class ShopPolicy {

    private static final String ROUTES = "'routes':{"
            + String.join(
                    ",",
                    route("hot", "path/%2Fhot"),
                    route("path", "path/{path}"),
                    route("ten", "ten/{ten}"),
                    route("deep", "a/{a}/b/{b}"),
                    route("address", "remote_address/{remote_address}"),
                    route("free", "plan/free"),
                    route("trial", "trial/{trial}"),
                    route("bucket", "bucket/{bucket}"),
                    route("zero", "zero/out"),
                    route("account", "account/{account}"))
            + "}";

    private static final List<String> RULES = List.of(
            rule("hot", "", window(1, "1m")),
            rule("path", counting("attributes.path"), window(3, "1m")),
            rule("ten", counting("attributes.ten"), window(10, "10s")),
            rule("deep", counting("attributes.a", "attributes.b"), window(2, "1h")),
            rule("free", "", "'algorithm':'unlimited'"),
            rule("trial", counting("attributes.trial"), window(0, "1m") + ",'enforcement':{'mode':'shadow'}"),
            rule("zero", "", window(0, "1m")),
            rule(
                    "bucket",
                    counting("attributes.bucket"),
                    "'algorithm':'token-bucket','limit':{'capacity':5,'refill':{'tokens':1,'per':'1s'}}"),
            rule("account", ",'scope':'user'", window(4, "1d")),
            "{'id':'address','stage':'ip','match':{'routes':['address']}," + window(2, "1m") + "}");

    static final String SPEC = ROUTES + ",'rules':[" + String.join(",", RULES) + "]"
            + ",'responses':{'headers':['retry-after','ratelimit-draft10'],'advertiseTo':'everybody'}";

    private ShopPolicy() {}

    private static String route(String group, String path) {
        return "'" + group + "':[{'method':'RLS','path':'/shop/" + path + "'}]";
    }

    private static String rule(String id, String scope, String limit) {
        return "{'id':'" + id + "','stage':'tenant','reason':'for tests'" + scope + ",'match':{'routes':['" + id
                + "']}," + limit + "}";
    }

    private static String counting(String... parts) {
        return ",'scope':{'composite':['" + String.join("','", parts) + "']}";
    }

    private static String window(long requests, String per) {
        return "'algorithm':'fixed-window','limit':{'requests':" + requests + ",'per':'" + per + "','align':'epoch'}";
    }
}
