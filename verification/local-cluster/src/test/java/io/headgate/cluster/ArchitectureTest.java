package io.headgate.cluster;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows of docs/architecture.md. */
@AnalyzeClasses(packages = "io.headgate", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String CORE = "io.headgate.core..";
    private static final String SCHEMAS = "io.headgate.schemas..";
    private static final String PROCESSOR = "io.headgate.processor..";
    private static final String TOOLS = "io.headgate.tools..";
    private static final String CLIENT = "io.headgate.gateway.client..";
    private static final String SERVER = "io.headgate.gateway.server..";
    private static final String SERVLET = "io.headgate.gateway.servlet..";
    private static final String GRPC = "io.headgate.gateway.grpc..";
    private static final String SPRING_BOOT = "io.headgate.gateway.springboot..";
    private static final String SPRING_CLOUD = "io.headgate.gateway.springcloud..";
    private static final String CLUSTER = "io.headgate.cluster..";

    @ArchTest
    static final ArchRule only_schemas_sees_avro = noClasses()
            .that()
            .resideOutsideOfPackage(SCHEMAS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.avro..", "io.headgate.schemas.wire..");

    @ArchTest
    static final ArchRule the_core_knows_nobody = noClasses()
            .that()
            .resideInAPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SCHEMAS, PROCESSOR, TOOLS, CLIENT, SERVER, CLUSTER);

    @ArchTest
    static final ArchRule schemas_know_only_the_core = noClasses()
            .that()
            .resideInAPackage(SCHEMAS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROCESSOR, TOOLS, CLIENT, SERVER, CLUSTER);

    @ArchTest
    static final ArchRule the_processor_meets_others_on_topics_only = noClasses()
            .that()
            .resideInAPackage(PROCESSOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(TOOLS, CLIENT, SERVER, CLUSTER);

    @ArchTest
    static final ArchRule the_tools_meet_others_on_topics_only = noClasses()
            .that()
            .resideInAPackage(TOOLS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROCESSOR, CLIENT, SERVER, CLUSTER);

    @ArchTest
    static final ArchRule the_client_knows_no_server = noClasses()
            .that()
            .resideInAPackage(CLIENT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROCESSOR, TOOLS, SERVER, CLUSTER, SERVLET, GRPC, SPRING_BOOT, SPRING_CLOUD);

    @ArchTest
    static final ArchRule the_client_can_be_put_into_any_program = noClasses()
            .that()
            .resideInAPackage(CLIENT)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jakarta..", "org.springframework..", "io.grpc..", "com.linecorp..", "com.google..");

    @ArchTest
    static final ArchRule the_servlet_filter_knows_the_client_alone = knowsOnly(SERVLET, CLIENT);

    @ArchTest
    static final ArchRule the_interceptor_knows_the_client_alone = knowsOnly(GRPC, CLIENT);

    @ArchTest
    static final ArchRule the_starter_knows_the_client_and_the_filter = knowsOnly(SPRING_BOOT, CLIENT, SERVLET);

    @ArchTest
    static final ArchRule the_limiter_of_the_cloud_gateway_knows_the_client_alone = knowsOnly(SPRING_CLOUD, CLIENT);

    @ArchTest
    static final ArchRule the_server_reaches_the_shards_through_the_client = noClasses()
            .that()
            .resideInAPackage(SERVER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROCESSOR, TOOLS, CLUSTER);

    @ArchTest
    static final ArchRule only_the_processor_knows_streams = noClasses()
            .that()
            .resideOutsideOfPackage(PROCESSOR)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.kafka.streams..");

    @ArchTest
    static final ArchRule only_the_door_for_envoy_sees_its_protocol = noClasses()
            .that()
            .resideOutsideOfPackages("io.headgate.gateway.server.rls..", "io.headgate.envoy..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.headgate.envoy..");

    /** Of ours, that is. */
    private static ArchRule knowsOnly(String door, String... others) {
        return classes()
                .that()
                .resideInAPackage(door)
                .should()
                .onlyDependOnClassesThat(resideOutsideOfPackage("io.headgate..")
                        .or(resideInAPackage(door))
                        .or(resideInAnyPackage(others)));
    }
}
