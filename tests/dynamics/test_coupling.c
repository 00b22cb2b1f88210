/* Joints that follow others stand and move as their couplings say. */
#include "dynamics/kit.h"

/* arm with: 3 follows 1 by a polynomial, 6 follows 3 (a chain), 4 follows 2 linearly, the last stands still. */
static soa_model *coupled(const char *name)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *part = builtin(name), *model;
    soa_error error;
    const soa_pose here = soa_pose_identity();
    double g[3];
    int joint[64], joints = 0;
    soa_model_gravity(part, g);
    soa_builder_set_gravity(b, g);
    ok_at(__FILE__, __LINE__, soa_builder_attach(b, part, NULL, SOA_WORLD, &here, &error), &error);
    for (int l = 0; l < soa_builder_links(b); l++) {
        if (soa_joint_kind_nq(soa_builder_link(b, l)->joint.kind) == 1 && joints < 64) {
            joint[joints++] = l;
        }
    }
    assert_true(joints >= 7);
    const soa_coupling couplings[] = {
        { .name = "a", .link = joint[5], .driver = joint[2], .coefficient = { 0.1, -0.7, 0.3, 0.2, -0.1 } },
        { .name = "b", .link = joint[3], .driver = joint[1], .coefficient = { 0.2, 1.5 } },
        { .name = "c", .link = joint[2], .driver = joint[0], .coefficient = { 0.0, 0.5, 0.4 } },
        { .name = "d", .link = joint[6], .driver = -1, .coefficient = { 0.3 } },
    };
    for (int i = 0; i < 4; i++) {
        ok_at(__FILE__, __LINE__, soa_builder_add_coupling(b, &couplings[i], NULL, &error), &error);
    }
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    soa_model_free(part);
    return model;
}

static const char *const MODELS[] = { "arm7", "humanoid", "chain:12", "tree:25,6", "tree:33,12" };
enum { COUNT = 5 };

typedef struct joint_at {
    int q, v;
} joint_at;

static joint_at place(const soa_model *m, int link)
{
    const soa_body body = soa_model_body(m, soa_model_link_body(m, link, NULL));
    return (joint_at){ body.q, body.v };
}

/* Residual and slope of coupling c at q, from the description. */
static void coupling_terms(const kit *k, int i, num *residual, num *slope)
{
    const soa_coupling *c = soa_model_coupling(k->m, i);
    const num x = c->driver < 0 ? 0 : k->q[place(k->m, c->driver).q];
    *residual = k->q[place(k->m, c->link).q];
    *slope = 0;
    for (int p = 0; p < SOA_COUPLING_TERMS; p++) {
        *residual -= c->coefficient[p] * powl(x, p);
        *slope += p < 1 ? 0 : p * c->coefficient[p] * powl(x, p - 1);
    }
}

/* q and v satisfy every coupling; what is independent has not moved. */
static void couple_sets_what_follows(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        kit k = kit_of(coupled(MODELS[i]), 60 + (unsigned)i);
        double *v = numbers(k.nv), *q = numbers(k.nq);
        int followers = 0;
        memcpy(v, k.v, (size_t)k.nv * sizeof *v);
        memcpy(q, k.q, (size_t)k.nq * sizeof *q);
        soa_couple(k.m, q, NULL);
        soa_couple(k.m, k.q, k.v);
        SAME(k.nq, k.q, q);
        for (int j = 0; j < k.nv; j++) {
            followers += k.v[j] != v[j];
        }
        assert_int_equal(followers, 4);
        for (int c = 0; c < 4; c++) {
            const soa_coupling *coupling = soa_model_coupling(k.m, c);
            num residual, slope;
            coupling_terms(&k, c, &residual, &slope);
            const num driver = coupling->driver < 0 ? 0 : k.v[place(k.m, coupling->driver).v];
            assert_true(fabsl(residual) < 1e-14L);
            assert_true(fabsl(k.v[place(k.m, coupling->link).v] - slope * driver) < 1e-14L);
        }
        free(v);
        free(q);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couple_sets_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
