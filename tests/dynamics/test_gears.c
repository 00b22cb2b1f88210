/* A rotor on a joint equals a rotor that is a link of its own, geared to the joint.  [GEAR]
 *
 * The explicit model has for each rotor a link on a continuous joint; its motion is
 * rate_rotor = ratio rate, so v = S v' with a constant S: Mass' = S* Mass S and
 * C' = S* C (a rotor is a body of revolution: its angle does not matter). */
#include "dynamics/kit.h"

enum { ROTORS = 32 };

typedef struct pair {
    kit compact, explicit_;
    double *S; /* explicit nv x compact nv */
} pair;

static soa_pose axis_pose(const soa_rotor *r)
{
    const double n = sqrt(r->axis[0] * r->axis[0] + r->axis[1] * r->axis[1] + r->axis[2] * r->axis[2]);
    const double u[3] = { r->axis[0] / n, r->axis[1] / n, r->axis[2] / n };
    const double turn[3] = { -u[1], u[0], 0.0 };
    const double across = sqrt(u[0] * u[0] + u[1] * u[1]);
    return across > 0.0
               ? soa_pose_from_axis_angle(r->com, turn, atan2(across, u[2]))
               : soa_pose_from_axis_angle(r->com, (double[3]){ 1, 0, 0 }, u[2] > 0.0 ? 0.0 : 3.141592653589793);
}

/* A rotor with all its inertia on every joint with one velocity. */
static void full_rotor(int link, soa_link *value)
{
    no_rotor(link, value);
    if (soa_joint_kind_nv(value->joint.kind) == 1) {
        value->joint.rotor = (soa_rotor){ .armature = 0.01 * (link % 2),
            .ratio = link % 2 ? -20.0 : 35.0 + link,
            .axis = { 1, link % 3 - 1, 0.3 * link },
            .spin = 1e-3,
            .transverse = 7e-4,
            .mass = 0.5,
            .com = { 0.1, 0.02 * link, -0.1 } };
    }
}

static soa_model *with_links(const soa_model *from, int *rotor_of, int *rotors)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    double g[3];
    soa_model_gravity(from, g);
    soa_builder_set_gravity(b, g);
    for (int l = 0; l < soa_model_links(from); l++) {
        soa_link link = *soa_model_link(from, l);
        link.joint.rotor = (soa_rotor){ .armature = link.joint.rotor.armature };
        ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &link, NULL, &error), &error);
    }
    *rotors = 0;
    for (int l = 0; l < soa_model_links(from); l++) {
        const soa_link *link = soa_model_link(from, l);
        const soa_rotor *r = &link->joint.rotor;
        if (r->ratio != 0.0) {
            char name[64];
            snprintf(name, sizeof name, "rotor%d", l);
            soa_link rotor = soa_link_default(name, link->parent, SOA_CONTINUOUS);
            rotor.joint.name = name;
            rotor.joint.at = axis_pose(r);
            rotor.inertia =
                (soa_inertia){ .mass = r->mass, .moment = { r->transverse, 0, 0, r->transverse, 0, r->spin } };
            rotor_of[(*rotors)++] = l;
            ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &rotor, NULL, &error), &error);
        }
    }
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    return model;
}

static int first_velocity(const soa_model *m, int link)
{
    return soa_model_body(m, soa_model_link_body(m, link, NULL)).v;
}

static pair pair_open(const char *name, unsigned long long seed)
{
    int rotor_of[ROTORS], rotors;
    pair p = { .compact = kit_of(edited(builtin(name), full_rotor), seed) };
    p.explicit_ = kit_of(with_links(p.compact.m, rotor_of, &rotors), seed + 1);
    kit *c = &p.compact, *x = &p.explicit_;
    assert_true(rotors >= 3);
    assert_int_equal(x->nv, c->nv + rotors);
    p.S = numbers(x->nv * c->nv);
    for (int b = 0; b < c->bodies; b++) {
        const soa_body body = soa_model_body(c->m, b);
        const soa_body twin = soa_model_body(x->m, soa_model_link_body(x->m, body.link, NULL));
        memcpy(x->q + twin.q, c->q + body.q, (size_t)body.nq * sizeof *x->q);
        for (int i = 0; i < body.nv; i++) {
            p.S[(twin.v + i) * c->nv + body.v + i] = 1.0;
        }
    }
    for (int r = 0; r < rotors; r++) {
        const int row = first_velocity(x->m, c->links + r), column = first_velocity(c->m, rotor_of[r]);
        p.S[row * c->nv + column] = soa_model_link(c->m, rotor_of[r])->joint.rotor.ratio;
    }
    return p;
}

static void pair_close(pair *p)
{
    kit_close(&p->compact);
    kit_close(&p->explicit_);
    free(p->S);
}

/* y = S x and y = S* x */
static void spread(const pair *p, const double *x, double *y)
{
    for (int i = 0; i < p->explicit_.nv; i++) {
        y[i] = 0.0;
        for (int j = 0; j < p->compact.nv; j++) {
            y[i] += p->S[i * p->compact.nv + j] * x[j];
        }
    }
}

static void gather(const pair *p, const double *x, double *y)
{
    for (int j = 0; j < p->compact.nv; j++) {
        y[j] = 0.0;
        for (int i = 0; i < p->explicit_.nv; i++) {
            y[j] += p->S[i * p->compact.nv + j] * x[i];
        }
    }
}

static void check_mass(pair *p)
{
    kit *c = &p->compact, *x = &p->explicit_;
    double *M = numbers(c->nv * c->nv), *e = numbers(c->nv), *column = numbers(c->nv);
    double *wide = numbers(x->nv), *Mx = numbers(x->nv);
    OK(c, soa_mass_matrix(c->m, c->w, 1, c->q, M, &c->error));
    for (int j = 0; j < c->nv; j++) {
        e[j] = 1.0;
        spread(p, e, wide);
        OK(x, soa_mass_multiply(x->m, x->w, 1, x->q, wide, Mx, &x->error));
        gather(p, Mx, column);
        NEAR(c->nv, M + j * c->nv, column, 1e-12);
        e[j] = 0.0;
    }
    free(M);
    free(e);
    free(column);
    free(wide);
    free(Mx);
}

/* T' = S* ID(q, S v, S a); then every forward dynamics gives a back. */
static void check_forces(pair *p)
{
    kit *c = &p->compact, *x = &p->explicit_;
    double *wide = numbers(x->nv), *T = numbers(c->nv), *expected = numbers(c->nv), *vdot = numbers(c->nv);
    double *C = numbers(c->nv), energy[2], wide_energy[2];
    spread(p, c->v, x->v);
    spread(p, c->a, x->a);
    OK(x, soa_bias_force(x->m, x->w, 1, x->q, x->v, wide, &x->error));
    gather(p, wide, expected);
    OK(c, soa_bias_force(c->m, c->w, 1, c->q, c->v, C, &c->error));
    NEAR(c->nv, C, expected, 1e-12);
    OK(x, soa_inverse_dynamics(x->m, x->w, 1, x->q, x->v, x->a, NULL, wide, &x->error));
    gather(p, wide, expected);
    OK(c, soa_inverse_dynamics(c->m, c->w, 1, c->q, c->v, c->a, NULL, T, &c->error));
    NEAR(c->nv, T, expected, 1e-12);
    for (int method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
        OK(c, soa_forward_dynamics_by(c->m, c->w, (soa_method)method, 1, c->q, c->v, expected, NULL, vdot, &c->error));
        NEAR(c->nv, vdot, c->a, 1e-10);
    }
    OK(c, soa_energy(c->m, c->w, 1, c->q, c->v, energy, &c->error));
    OK(x, soa_energy(x->m, x->w, 1, x->q, x->v, wide_energy, &x->error));
    NEAR(1, energy, wide_energy, 1e-12);
    free(wide);
    free(T);
    free(expected);
    free(vdot);
    free(C);
}

static void rotors_are_geared_links(void **state)
{
    const char *const models[] = { "arm7", "humanoid", "tree:12,4", "tree:20,8", "tree:30,15", "chain:9" };
    (void)state;
    for (unsigned i = 0; i < sizeof models / sizeof models[0]; i++) {
        pair p = pair_open(models[i], 70 + i);
        check_mass(&p);
        check_forces(&p);
        pair_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rotors_are_geared_links) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
