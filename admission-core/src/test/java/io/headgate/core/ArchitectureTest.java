package io.headgate.core;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.chrono.ChronoLocalDate;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAdjuster;
import java.time.temporal.TemporalAdjusters;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The core decides from what it is given: no clock, no chance, no I/O, no order that differs from run to run. */
class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_JARS)
            .importPackages("io.headgate.core");

    private static final String[] ALLOWED = {
        "io.headgate.core..",
        "java.lang",
        "java.security",
        "java.time",
        "java.time.chrono",
        "java.time.temporal",
        "java.math",
        "java.util",
        "java.util.function",
        "java.util.regex",
        "java.util.stream",
        "java.nio.charset"
    };

    /** Arithmetic with days, the same on every platform; nothing that knows a clock or the rules of a time zone. */
    private static final Class<?>[] CALENDAR = {
        LocalDate.class,
        ChronoLocalDate.class,
        DayOfWeek.class,
        Temporal.class,
        TemporalAdjuster.class,
        TemporalAdjusters.class
    };

    /** Collections whose order depends on hashes, and so on the run; and what is random by intent. */
    private static final Class<?>[] UNORDERED = {
        HashMap.class,
        HashSet.class,
        IdentityHashMap.class,
        WeakHashMap.class,
        Random.class,
        SplittableRandom.class,
        UUID.class
    };

    @Test
    void the_core_needs_nothing_but_a_corner_of_the_JDK() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(ALLOWED).or(isPrimitiveOrArrayOfAllowed()))
                .check(CORE);
    }

    @Test
    void the_packages_stand_on_each_other_in_one_direction() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("limit")
                .definedBy("io.headgate.core.limit..")
                .layer("policy")
                .definedBy("io.headgate.core.policy..")
                .layer("decision")
                .definedBy("io.headgate.core.decision..")
                .layer("account")
                .definedBy("io.headgate.core.account..")
                .layer("shard")
                .definedBy("io.headgate.core.shard..")
                .whereLayer("limit")
                .mayNotAccessAnyLayer()
                .whereLayer("policy")
                .mayOnlyAccessLayers("limit")
                .whereLayer("decision")
                .mayOnlyAccessLayers("limit", "policy")
                .whereLayer("account")
                .mayOnlyAccessLayers("limit", "policy", "decision")
                .whereLayer("shard")
                .mayNotBeAccessedByAnyLayer()
                .check(CORE);
        slices().matching("io.headgate.core.(*)..").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void the_core_does_not_ask_what_time_it_is() {
        noClasses()
                .should()
                .callMethodWhere(describe(
                        "asks the machine for time or identity",
                        call -> call.getTargetOwner().isEquivalentTo(System.class)
                                && !call.getTarget().getName().equals("arraycopy")))
                .check(CORE);
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.time..").and(not(belongToAnyOf(CALENDAR))))
                .check(CORE);
        noClasses()
                .should()
                .callMethodWhere(describe(
                        "asks for today's date",
                        call -> call.getTarget().getName().equals("now")
                                && call.getTargetOwner().getPackageName().startsWith("java.time")))
                .check(CORE);
    }

    @Test
    void the_core_has_no_unordered_collection_and_no_chance() {
        noClasses().should().dependOnClassesThat().belongToAnyOf(UNORDERED).check(CORE);
        noClasses()
                .should()
                .callMethodWhere(describe(
                        "makes a set or map whose order is salted anew in each process", ArchitectureTest::isSalted))
                .check(CORE);
        noClasses()
                .should()
                .callMethodWhere(describe(
                        "uses an object's identity",
                        call -> call.getTargetOwner().isEquivalentTo(Object.class)
                                && call.getTarget().getName().equals("hashCode")))
                .check(CORE);
    }

    @Test
    void the_core_counts_in_whole_numbers() {
        DescribedPredicate<JavaClass> floating = describe(
                "floating point",
                type -> List.of("float", "double", "java.lang.Float", "java.lang.Double")
                        .contains(type.getBaseComponentType().getName()));
        noFields().should().haveRawType(floating).check(CORE);
        noMethods().should().haveRawReturnType(floating).check(CORE);
        noMethods()
                .should(new ArchCondition<>("take floating point") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        boolean takes = method.getRawParameterTypes().stream().anyMatch(floating);
                        events.add(new SimpleConditionEvent(
                                method, takes, method.getFullName() + " takes floating point"));
                    }
                })
                .check(CORE);
        noClasses()
                .should()
                .callCodeUnitWhere(describe(
                        "calculates with floating point",
                        call -> call.getTarget().getRawParameterTypes().stream().anyMatch(floating)
                                || floating.test(call.getTarget().getRawReturnType())))
                .check(CORE);
    }

    private static DescribedPredicate<JavaClass> isPrimitiveOrArrayOfAllowed() {
        return describe("primitive or array of those", type -> {
            JavaClass base = type.getBaseComponentType();
            return base.isPrimitive() || resideInAnyPackage(ALLOWED).test(base);
        });
    }

    /** {@code Set.of()} and {@code Map.of()} without elements have no order that could differ. */
    private static boolean isSalted(JavaMethodCall call) {
        JavaClass owner = call.getTargetOwner();
        String name = call.getTarget().getName();
        if (owner.isEquivalentTo(Collectors.class)) {
            return List.of("toSet", "toMap", "groupingBy", "toUnmodifiableSet", "toUnmodifiableMap")
                    .contains(name);
        }
        boolean setOrMap = owner.isEquivalentTo(Set.class) || owner.isEquivalentTo(Map.class);
        boolean makes = List.of("of", "copyOf", "ofEntries").contains(name);
        return setOrMap && makes && !call.getTarget().getRawParameterTypes().isEmpty();
    }
}
