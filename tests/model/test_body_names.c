/* Every body of a model is found by its name: that of its joint, or LINK/flex for modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/soa.h"

/* Returns how many bodies have names. */
static int check_names(const soa_model *model)
{
    int named = 0;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        const soa_link *link = soa_model_link(model, body.link);
        char name[256];
        (void)snprintf(name, sizeof name, body.flexible ? "%s/flex" : "%s",
            body.flexible || !link->joint.name ? link->name : link->joint.name);
        soa_body found;
        assert_int_equal(soa_model_find_body(model, name, &found, NULL), SOA_OK);
        assert_int_equal(found.v, body.v);
        assert_int_equal(found.link, body.link);
        assert_int_equal(found.flexible, body.flexible);
        named++;
    }
    return named;
}

static void built_in_models(void **state)
{
    (void)state;
    static const char *const name[] = { "pendulum", "quadruped", "satellite", "dual-arm", "hexapod", "tree:14,1",
        "flexible-chain:3,2" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        soa_model *model = NULL;
        assert_int_equal(soa_model_builtin(name[i], NULL, &model, NULL), SOA_OK);
        assert_true(check_names(model) > 0);
        soa_model_free(model);
    }
}

/* The modes of a beam that the world holds are the first body. */
static void cantilever(void **state)
{
    (void)state;
    soa_model *from = NULL, *model = NULL;
    soa_builder *b = soa_builder_new(NULL);
    assert_int_equal(soa_model_builtin("flexible-chain:1,2", NULL, &from, NULL), SOA_OK);
    soa_link beam = *soa_model_link(from, soa_model_body(from, 1).link);
    assert_non_null(beam.flexible);
    beam.parent = SOA_WORLD;
    beam.joint.kind = SOA_FIXED;
    assert_int_equal(soa_builder_add_link(b, &beam, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, NULL), SOA_OK);
    assert_true(soa_model_body(model, 0).flexible);
    assert_int_equal(check_names(model), 1);
    soa_model_free(model);
    soa_model_free(from);
    soa_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(built_in_models), cmocka_unit_test(cantilever) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
