/* What the URDF writer refuses since URDF has no word for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "io/urdf_build.h"
#include "io/urdf_texts.h"

static void assert_unsupported(soa_builder *builder, const char *words)
{
    soa_model *model = finish(builder);
    soa_error error;
    char *text;
    size_t length;
    assert_int_equal(soa_write(model, SOA_URDF, NULL, &text, &length, &error), SOA_E_UNSUPPORTED);
    assert_null(text);
    if (!strstr(error.text, words)) {
        fail_msg("'%s' is not in '%s'", words, error.text);
    }
    soa_model_free(model);
}

static soa_builder *with_link(const soa_link *link)
{
    soa_builder *builder = soa_builder_new(NULL);
    add(builder, link);
    return builder;
}

static void joints_it_cannot_say(void **state)
{
    (void)state;
    static const soa_joint_kind kinds[] = { SOA_HELICAL, SOA_UNIVERSAL, SOA_CYLINDRICAL, SOA_SPHERICAL };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const soa_link link = solid("a", SOA_WORLD, kinds[i]);
        char words[80];
        snprintf(words, sizeof words, "joint 'a': a joint of kind %s", soa_joint_kind_text(kinds[i]));
        assert_unsupported(with_link(&link), words);
    }
    soa_link spring = solid("a", SOA_WORLD, SOA_REVOLUTE);
    spring.joint.stiffness = 1.0;
    assert_unsupported(with_link(&spring), "spring");
    soa_link motor = solid("a", SOA_WORLD, SOA_REVOLUTE);
    motor.joint.rotor.armature = 1.0;
    assert_unsupported(with_link(&motor), "motor");
    soa_link planar = solid("a", SOA_WORLD, SOA_PLANAR);
    planar.joint.upper[1] = 1.0;
    assert_unsupported(with_link(&planar), "limits of a joint with several");
    soa_link reversed = solid("a", SOA_WORLD, SOA_FREE);
    reversed.joint.reversed = true;
    assert_unsupported(with_link(&reversed), "reversed");
}

static void other_things_it_cannot_say(void **state)
{
    (void)state;
    const soa_link a = solid("a", SOA_WORLD, SOA_REVOLUTE);
    const soa_link b = solid("b", 0, SOA_REVOLUTE);
    soa_builder *builder = with_link(&a);
    soa_closure closure = soa_closure_default("loop", SOA_CLOSE_RIGID, SOA_WORLD, 0);
    closure.inactive = true;
    assert_int_equal(soa_builder_add_closure(builder, &closure, NULL, NULL), SOA_OK);
    assert_unsupported(builder, "closure 'loop'");
    builder = with_link(&a);
    add(builder, &b);
    const soa_coupling curved = { .link = 1, .driver = 0, .coefficient = { 0, 1, 2 } };
    assert_int_equal(soa_builder_add_coupling(builder, &curved, NULL, NULL), SOA_OK);
    assert_unsupported(builder, "joint 'b': a coupling by a polynomial");
    builder = with_link(&a);
    const soa_coupling held = { .link = 0, .driver = -1, .coefficient = { 1 } };
    assert_int_equal(soa_builder_add_coupling(builder, &held, NULL, NULL), SOA_OK);
    assert_unsupported(builder, "joint 'a': a joint held");
    builder = with_link(&a);
    soa_builder_set_gravity(builder, (double[3]){ 0, 0, 0 });
    assert_unsupported(builder, "gravity");
    const soa_link world = solid("world", SOA_WORLD, SOA_REVOLUTE);
    assert_unsupported(with_link(&world), "the name is taken");
}

static void no_memory(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    assert_int_equal(load_urdf(ROBOT(BODY("a", SOLID)), &model, &error), SOA_OK);
    soa_status status = SOA_E_MEMORY;
    for (int n = 0; status != SOA_OK; n++) {
        assert_true(n < 40);
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        char *text;
        size_t length;
        status = soa_write(model, SOA_URDF, &allocator, &text, &length, &error);
        assert_true(status == SOA_OK || (status == SOA_E_MEMORY && !text));
        assert_int_equal(status == SOA_OK, c.refused == 0);
        soa_text_free(&allocator, text);
        assert_int_equal(c.open, 0);
    }
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_it_cannot_say),
        cmocka_unit_test(other_things_it_cannot_say),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
