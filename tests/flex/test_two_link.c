/* The planar arm of two flexible links of De Luca and Siciliano, Closed-form dynamic model of planar multilink lightweight
 * robots, IEEE Trans. Systems, Man, and Cybernetics 21 (1991), 826-839: 0.5 m, 0.2 kg/m and EI = 1 N m^2 each, a hub of 0.1 kg m^2
 * at each joint, 1 kg at the elbow, a payload of 0.1 kg and 0.0005 kg m^2.
 *
 * The paper prints the frequencies of each link alone, clamped, with all that it carries held rigid at its tip and the elbow
 * bent by a right angle: 0.48 and 1.80 Hz, 2.18 and 15.91 Hz, to two decimals. Of motions it has figures alone, which cannot
 * be read to more than a few per cent. So motions are compared with those of a model of full order that shares nothing
 * with the library: each link a chain of rigid segments joined by springs, whose error falls with the square of the length of the segments
 * and is extrapolated away. It knows no modes and is exact in large rotations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/dense.h"
#include "core/eigen.h"
#include "soa/flex.h"
#include "soa/soa.h"

#define OK(call)                    \
    if ((call) != SOA_OK) {         \
        fail_msg("%s", error.text); \
    }

static soa_error error;

enum { MODES = 8, CHAIN = 40, TIMES = 4 };

static const double PAUSE = 0.25, BENT = 1.0; /* between looks; the angle of the elbow at first */

static const double LENGTH = 0.5, LINE = 0.2, EI = 1.0, HUB = 0.1, ELBOW = 1.0, LOAD = 0.1, LOAD_SPIN = 0.0005;

/* ---- the model --------------------------------------------------------------------------------- */

/* It bends about z alone: all other ways are much stiffer. loaded: with the shapes under forces and moments at the tip. */
static soa_flexible *make_beam(bool loaded)
{
    soa_beam beam = soa_beam_default();
    const char *const tip = "last";
    const soa_reduction wish = { .modes = MODES, .interfaces = loaded ? 1 : 0, .interface = &tip };
    soa_flexible *f;
    beam.length = LENGTH;
    beam.elements = 12;
    beam.E = 1.0e9;
    beam.G = 1.0e9;
    beam.section[0] = (soa_beam_section){ 1.0e-3, 1.0e-6, EI / beam.E, 1.0e-6 };
    beam.rho = LINE / beam.section[0].A;
    beam.stiffening = true;
    OK(soa_flexible_beam(&beam, &wish, NULL, &f, &error));
    return f;
}

static soa_inertia disc(double mass, double spin)
{
    return (soa_inertia){ .mass = mass, .moment = { spin, 0.0, 0.0, spin, 0.0, spin } };
}

/* A rigid link, or with `flexible` data a beam, at the last node of its parent if that is flexible. */
static int add(soa_builder *b, const char *name, int parent, soa_joint_kind kind, soa_inertia inertia,
    const soa_flexible *flexible)
{
    const soa_link *on = parent == SOA_WORLD ? NULL : soa_builder_link(b, parent);
    soa_link link = soa_link_default(name, parent, kind);
    int index;
    link.joint.name = name;
    link.inertia = inertia;
    link.flexible = flexible;
    link.node = on && on->flexible ? on->flexible->nodes : 0;
    OK(soa_builder_add_link(b, &link, &index, &error));
    return index;
}

static soa_model *finish(soa_builder *b)
{
    const double none[3] = { 0.0 };
    soa_model *model;
    soa_builder_set_gravity(b, none);
    OK(soa_builder_finish(b, &model, &error));
    soa_builder_free(b);
    return model;
}

static soa_model *make_arm(const soa_flexible *beam)
{
    soa_builder *b = soa_builder_new(NULL);
    const soa_inertia none = { 0 };
    const int shoulder = add(b, "shoulder", SOA_WORLD, SOA_REVOLUTE, disc(0.0, HUB), NULL);
    const int upper = add(b, "upper", shoulder, SOA_FIXED, none, beam);
    const int elbow = add(b, "elbow", upper, SOA_REVOLUTE, disc(ELBOW, HUB), NULL);
    const int fore = add(b, "fore", elbow, SOA_FIXED, none, beam);
    add(b, "load", fore, SOA_FIXED, disc(LOAD, LOAD_SPIN), NULL);
    return finish(b);
}

/* ---- frequencies --------------------------------------------------------------------------------- */

enum { MOST = 16 };

/* Whether the lowest two frequencies of a clamped beam that carries `tip` are those published, in Hz, to two decimals. */
static void check_frequencies(const soa_flexible *f, soa_inertia tip, double first, double second)
{
    soa_builder *b = soa_builder_new(NULL);
    const int beam = add(b, "beam", SOA_WORLD, SOA_FIXED, (soa_inertia){ 0 }, f);
    add(b, "tip", beam, SOA_FIXED, tip, NULL);
    soa_model *model = finish(b);
    soa_workspace *w;
    const int n = soa_model_nv(model);
    const double published[2] = { first, second };
    double q[MOST] = { 0.0 }, mass[MOST * MOST], K[MOST * MOST], value[MOST], work[MOST];
    assert_int_equal(n, f->modes);
    memcpy(K, f->stiffness, (size_t)(n * n) * sizeof *K);
    OK(soa_workspace_new(model, NULL, &w, &error));
    OK(soa_mass_matrix(model, w, 1, q, mass, &error));
    assert_int_equal(soa_pencil((size_t)n, K, mass, value, work), SOA_PENCIL_OK);
    for (int i = 0; i < 2; i++) { /* the values are 1 / omega^2, rising */
        const double hz = 1.0 / (2.0 * acos(-1.0) * sqrt(value[n - 1 - i]));
        if (!(fabs(hz - published[i]) <= 0.005)) {
            fail_msg("mode %d: %.5f Hz, published %.2f", i + 1, hz, published[i]);
        }
    }
    soa_workspace_free(w);
    soa_model_free(model);
}

static void links_have_the_published_frequencies(void **state)
{
    (void)state;
    soa_flexible *f = make_beam(true);
    const double mass = LINE * LENGTH,
                 carried = HUB + mass * LENGTH * LENGTH / 3.0 + LOAD_SPIN + LOAD * LENGTH * LENGTH;
    check_frequencies(f, disc(ELBOW + mass + LOAD, carried), 0.48, 1.80);
    check_frequencies(f, disc(LOAD, LOAD_SPIN), 2.18, 15.91);
    soa_flexible_free(NULL, f);
}

/* ---- full order ------------------------------------------------------------------------------------ */

/* Bodies one after another, body k along its own angle theta_k: its mass half way, a spring to the next. */
typedef struct chain {
    int n;
    int elbow;
    double length[CHAIN], mass[CHAIN], spin[CHAIN], spring[CHAIN];
    double A[CHAIN][CHAIN]; /* sum over bodies of mass times the levers of both angles */
} chain;

static void append(chain *c, double length, double mass, double spin, double spring)
{
    c->length[c->n] = length;
    c->mass[c->n] = mass;
    c->spin[c->n] = spin;
    c->spring[c->n++] = spring;
}

static void append_beam(chain *c, int segments)
{
    const double h = LENGTH / segments;
    for (int i = 0; i < segments; i++) {
        append(c, h, LINE * h, LINE * h * h * h / 12.0, EI / h);
    }
}

/* A hub is half a segment from the middle of its neighbour. Nothing is fixed to the tip of the first link: there is no
 * spring, and the torque at the elbow pushes back on the last segment. */
static void make_chain(chain *c, int segments)
{
    const double half = 2.0 * EI * segments / LENGTH;
    memset(c, 0, sizeof *c);
    append(c, 0.0, 0.0, HUB, half);
    append_beam(c, segments);
    c->spring[c->n - 1] = 0.0;
    c->elbow = c->n;
    append(c, 0.0, ELBOW, HUB, half);
    append_beam(c, segments);
    c->spring[c->n - 1] = half;
    append(c, 0.0, LOAD, LOAD_SPIN, 0.0);
    for (int k = 0; k < c->n; k++) {
        for (int i = 0; i <= k; i++) {
            for (int j = 0; j <= k; j++) {
                c->A[i][j] += c->mass[k] * c->length[i] * c->length[j] * (i == k ? 0.5 : 1.0) * (j == k ? 0.5 : 1.0);
            }
        }
    }
}

/* Torques of the motors: each pushes one way for half a second, then the other. */
static void torques(double t, double *shoulder, double *elbow)
{
    *shoulder = t < 0.5 ? 0.2 : -0.2;
    *elbow = t < 0.5 ? -0.05 : 0.05;
}

/* Solves M x = y by Cholesky's factors; M and y are overwritten. */
static void solve(int n, double M[CHAIN][CHAIN], double *y)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) {
            M[j][j] -= M[j][k] * M[j][k];
        }
        M[j][j] = sqrt(M[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) {
                M[i][j] -= M[i][k] * M[j][k];
            }
            M[i][j] /= M[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            y[i] -= M[i][k] * y[k];
        }
        y[i] /= M[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            y[i] -= M[k][i] * y[k];
        }
        y[i] /= M[i][i];
    }
}

/* y: angles, then rates. sum_j A_ij (cos(theta_i - theta_j) theta_j'' + sin(theta_i - theta_j) theta_j'^2) + spin theta_i''
 * = torque. */
static void chain_rates(const chain *c, double t, const double *y, double *rate)
{
    static double M[CHAIN][CHAIN];
    const int n = c->n;
    const double *w = y + n;
    double *a = rate + n, shoulder, elbow;
    torques(t, &shoulder, &elbow);
    for (int i = 0; i < n; i++) {
        rate[i] = w[i];
        a[i] = (i == 0 ? shoulder : 0.0) + (i == c->elbow ? elbow : i == c->elbow - 1 ? -elbow : 0.0);
        a[i] += i + 1 < n ? c->spring[i] * (y[i + 1] - y[i]) : 0.0;
        a[i] -= i > 0 ? c->spring[i - 1] * (y[i] - y[i - 1]) : 0.0;
        for (int j = 0; j < n; j++) {
            M[i][j] = c->A[i][j] * cos(y[i] - y[j]) + (i == j ? c->spin[i] : 0.0);
            a[i] -= c->A[i][j] * sin(y[i] - y[j]) * w[j] * w[j];
        }
    }
    solve(n, M, a);
}

static void chain_step(const chain *c, double t, double h, double *y)
{
    static const double at[4] = { 0.0, 0.5, 0.5, 1.0 }, weight[4] = { 1.0, 2.0, 2.0, 1.0 };
    double k[2 * CHAIN] = { 0.0 }, stage[2 * CHAIN], sum[2 * CHAIN] = { 0.0 };
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2 * c->n; i++) {
            stage[i] = y[i] + h * at[s] * k[i];
        }
        /* just inside the step, so that torques jump between steps alone */
        chain_rates(c, t + h * fmin(fmax(at[s], 1e-6), 1.0 - 1e-6), stage, k);
        for (int i = 0; i < 2 * c->n; i++) {
            sum[i] += weight[s] * k[i];
        }
    }
    for (int i = 0; i < 2 * c->n; i++) {
        y[i] += h / 6.0 * sum[i];
    }
}

/* Where the tip is after each quarter of a second. */
static void chain_run(int segments, double tip[TIMES][2])
{
    static chain c;
    double y[2 * CHAIN] = { 0.0 };
    make_chain(&c, segments);
    for (int i = c.elbow; i < c.n; i++) {
        y[i] = BENT;
    }
    const int steps = 60 * segments * segments / 4; /* the highest frequency grows as their square */
    for (int m = 0; m < TIMES; m++) {
        const double h = PAUSE / steps;
        for (int s = 0; s < steps; s++) {
            chain_step(&c, m * PAUSE + s * h, h, y);
        }
        tip[m][0] = tip[m][1] = 0.0;
        for (int i = 0; i < c.n; i++) {
            tip[m][0] += c.length[i] * cos(y[i]);
            tip[m][1] += c.length[i] * sin(y[i]);
        }
    }
}

/* ---- motion ------------------------------------------------------------------------------------------ */

static void arm_run(const soa_flexible *beam, double tip[TIMES][2])
{
    soa_model *model = make_arm(beam);
    soa_workspace *w;
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim;
    soa_body elbow;
    double q[4 * MOST] = { 0.0 }, pose[12];
    static const char *const joint[] = { "shoulder", "elbow" };
    soa_force push[4];
    OK(soa_workspace_new(model, NULL, &w, &error));
    OK(soa_model_find_body(model, "elbow", &elbow, &error));
    q[elbow.q] = BENT;
    for (int i = 0; i < 4; i++) {
        double value[2];
        push[i] = soa_force_default(NULL, SOA_FORCE_TORQUE);
        push[i].link = soa_model_find_link(model, joint[i % 2]);
        push[i].from = i < 2 ? 0.0 : 0.5;
        push[i].to = i < 2 ? 0.5 : 1.0;
        torques(push[i].from, &value[0], &value[1]);
        push[i].value = value[i % 2];
    }
    setup.q = q;
    setup.forces = 4;
    setup.force = push;
    setup.rtol = 1e-8;
    setup.atol = 1e-10;
    OK(soa_sim_new(model, &setup, NULL, &sim, &error));
    for (int m = 0; m < TIMES; m++) {
        const soa_point at = { soa_model_find_link(model, "load"), soa_pose_identity(), 0 };
        OK(soa_sim_advance(sim, (m + 1) * PAUSE, &error));
        OK(soa_point_kinematics(model, w, 1, &at, 1, soa_sim_q(sim), NULL, NULL, pose, NULL, NULL, &error));
        tip[m][0] = pose[9];
        tip[m][1] = pose[10];
    }
    soa_sim_free(sim);
    soa_workspace_free(w);
    soa_model_free(model);
}

static void moves_as_the_full_order(void **state)
{
    (void)state;
    double coarse[TIMES][2], fine[TIMES][2], arm[TIMES][2];
    soa_flexible *f = make_beam(false);
    chain_run(6, coarse);
    chain_run(12, fine);
    arm_run(f, arm);
    for (int m = 0; m < TIMES; m++) {
        for (int e = 0; e < 2; e++) {
            const double full = fine[m][e] + (fine[m][e] - coarse[m][e]) / 3.0;
            if (!(fabs(arm[m][e] - full) <= 1e-4)) { /* bending moves the tip by 6 mm, foreshortening alone by 0.7 mm */
                fail_msg("at %g s the tip is at %.6f, of full order at %.6f", (m + 1) * PAUSE, arm[m][e], full);
            }
        }
    }
    soa_flexible_free(NULL, f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_the_published_frequencies),
        cmocka_unit_test(moves_as_the_full_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
