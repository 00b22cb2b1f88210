/* Second derivatives and the regressor of models with flexible links. */
#include "flex/sample.h"
#include "flex/slopes.h"
#include "soa/flex.h"
#include "soa/parameters.h"
#include "soa/sens.h"

#define OK(call) assert_int_equal(call, SOA_OK)

typedef struct gradient {
    sample *s;
    double by[3][MOST * MOST];
} gradient;

/* x . dT/dq, x . dT/dv and Mass x, nv numbers each. */
static void gradients(void *context, const double *q, const double *v, double *y)
{
    gradient *g = context;
    sample *s = g->s;
    OK(soa_inverse_dynamics_derivatives(
        s->t.model, s->w, 1, q, v, s->vd, NULL, g->by[0], g->by[1], g->by[2], &s->error));
    for (int e = 0; e < 3 * s->nv; e++) {
        y[e] = 0.0;
        for (int i = 0; i < s->nv; i++) {
            y[e] += s->T[i] * g->by[e / s->nv][i * s->nv + e % s->nv];
        }
    }
}

/* qq, vq, vv and aq are the differences of first derivatives, which are compared with particles elsewhere. */
static void second_derivatives_are_slopes_of_first(void **state)
{
    (void)state;
    static const char *const name[4] = { "qq", "vq", "vv", "aq" };
    static double made[4][MOST * MOST], slope[4][MOST * MOST];
    static gradient g;
    for (int i = 0; i < 8; i++) {
        sample s = sample_open(4100u + (unsigned)i, i % 3 == 0);
        const int n = s.nv;
        g.s = &s;
        OK(soa_inverse_dynamics_second_derivatives(
            s.t.model, s.w, 1, s.q, s.v, s.vd, s.T, made[0], made[1], made[2], made[3], &s.error));
        for (int k = 0; k < n; k++) {
            double by_q[3 * MOST], by_v[3 * MOST];
            slope_column(s.t.model, gradients, &g, 3 * n, s.q, s.v, false, k, by_q);
            slope_column(s.t.model, gradients, &g, 3 * n, s.q, s.v, true, k, by_v);
            for (int j = 0; j < n; j++) {
                slope[0][j * n + k] = by_q[j];
                slope[1][j * n + k] = by_q[n + j];
                slope[2][j * n + k] = by_v[n + j];
                slope[3][j * n + k] = by_q[2 * n + j];
            }
        }
        for (int e = 0; e < 4; e++) {
            near_all(name[e], i, n * n, made[e], slope[e], 1e-9);
        }
        sample_close(&s);
    }
}

/* A rigid hub, a beam that bends and a rigid load on its tip; more: what the links have besides, the integrals of the modes of
 * the beam staying as they are. */
static soa_model *arm_with(double more)
{
    soa_beam beam = soa_beam_default();
    beam.length = 2.0, beam.E = 7e10, beam.G = 2.7e10, beam.rho = 2700.0;
    beam.section[0] = (soa_beam_section){ 4e-4, 1.3e-8, 1.1e-8, 2.6e-8 };
    const soa_reduction reduction = { .modes = 4 };
    soa_flexible *bends = NULL;
    soa_error error;
    soa_model *model = NULL;
    OK(soa_flexible_beam(&beam, &reduction, NULL, &bends, &error));
    bends->mass += 2.0 * more;
    for (int i = 0; i < 6; i++) {
        bends->first[i % 3] += more * (0.3 - 0.1 * i);
        bends->second[i] += more * (1.0 - 0.3 * i);
    }
    soa_builder *b = soa_builder_new(NULL);
    soa_link hub = soa_link_default("hub", SOA_WORLD, SOA_REVOLUTE), boom = soa_link_default("boom", 0, SOA_REVOLUTE);
    soa_link load = soa_link_default("load", 1, SOA_SPHERICAL);
    hub.inertia = (soa_inertia){ 2.0 + more, { 0.1, -0.2, 0.3 * more }, { 0.3, 0.01, 0.0, 0.4, 0.0, 0.5 + more } };
    boom.joint.axis[0] = boom.joint.axis[1] = 1.0;
    boom.joint.at.position[1] = 0.4;
    boom.flexible = bends;
    load.inertia = (soa_inertia){ 0.7, { 0.1 - more, 0.2, 0.0 }, { 0.02 + more, 0.0, 0.0, 0.03, 0.001, 0.04 + more } };
    load.node = bends->nodes;
    OK(soa_builder_add_link(b, &hub, NULL, &error));
    OK(soa_builder_add_link(b, &boom, NULL, &error));
    OK(soa_builder_add_link(b, &load, NULL, &error));
    OK(soa_builder_finish(b, &model, &error));
    soa_builder_free(b);
    soa_flexible_free(NULL, bends);
    return model;
}

/* T changes by Y times the change of the parameters, vdot by its derivative to first order. */
static void links_have_a_regressor(void **state)
{
    (void)state;
    enum { PI = 3 * SOA_PARAMETERS };
    const double more = 1e-6;
    soa_model *m[2] = { arm_with(0.0), arm_with(more) };
    const int n = soa_model_nv(m[0]);
    double pi[2][PI], T[2][MOST], vdot[2][MOST], Y[MOST * PI], by[MOST * PI], q[MOST], v[MOST], u[MOST], sum[2][MOST];
    unsigned long long seed = 9;
    soa_error error;
    soa_random_configuration(m[0], &seed, q);
    for (int i = 0; i < n; i++) {
        v[i] = rnd(&seed);
        u[i] = rnd(&seed);
    }
    for (int k = 1; k >= 0; k--) {
        soa_workspace *w;
        OK(soa_workspace_new(m[k], NULL, &w, &error));
        soa_model_parameters(m[k], pi[k]);
        OK(soa_inverse_dynamics(m[k], w, 1, q, v, u, NULL, T[k], &error));
        OK(soa_forward_dynamics(m[k], w, 1, q, v, u, NULL, vdot[k], &error));
        OK(soa_regressor(m[k], w, 1, q, v, u, Y, &error));
        OK(soa_forward_dynamics_parameters(m[k], w, 1, q, v, u, by, &error));
        soa_workspace_free(w);
    }
    for (int i = 0; i < n; i++) {
        T[1][i] = (T[1][i] - T[0][i]) / more;
        vdot[1][i] = (vdot[1][i] - vdot[0][i]) / more;
        sum[0][i] = sum[1][i] = 0.0;
        for (int e = 0; e < PI; e++) {
            sum[0][i] += Y[i * PI + e] * (pi[1][e] - pi[0][e]) / more;
            sum[1][i] += by[i * PI + e] * (pi[1][e] - pi[0][e]) / more;
        }
    }
    near_all("Y pi", 0, n, sum[0], T[1], 1e-8);
    near_all("dvdot/dpi", 0, n, sum[1], vdot[1], 1e-4);
    soa_model_free(m[0]);
    soa_model_free(m[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_derivatives_are_slopes_of_first),
        cmocka_unit_test(links_have_a_regressor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
