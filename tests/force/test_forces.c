/* Force elements: derivatives against differences, energy against power, momentum kept, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "soa/force.h"

enum { MOST = 64, KINDS = SOA_FORCE_ELASTIC };

typedef struct kit {
    soa_model *model;
    soa_workspace *workspace;
    soa_forces *forces;
    soa_error error;
    int nq, nv;
    double q[MOST], v[MOST], T[MOST], f[6 * MOST], Q[MOST];
    unsigned long long seed;
} kit;

static void begin(kit *k, const char *name, unsigned long long seed)
{
    memset(k, 0, sizeof *k);
    k->seed = seed;
    assert_int_equal(soa_model_builtin(name, NULL, &k->model, &k->error), SOA_OK);
    assert_int_equal(soa_workspace_new(k->model, NULL, &k->workspace, &k->error), SOA_OK);
    k->nq = soa_model_nq(k->model);
    k->nv = soa_model_nv(k->model);
    assert_true(k->nq <= MOST && soa_model_bodies(k->model) <= MOST);
    soa_random_configuration(k->model, &k->seed, k->q);
    for (int i = 0; i < k->nv; i++) {
        k->v[i] = soa_model_random_number(&k->seed);
    }
}

static void end(kit *k)
{
    soa_forces_free(k->forces);
    soa_workspace_free(k->workspace);
    soa_model_free(k->model);
}

static double random_between(kit *k, double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + soa_model_random_number(&k->seed));
}

static soa_point random_point(kit *k, int link)
{
    const double xyz[3] = { random_between(k, -0.3, 0.3), random_between(k, -0.3, 0.3), random_between(k, -0.3, 0.3) };
    const double rpy[3] = { random_between(k, -3, 3), random_between(k, -1, 1), random_between(k, -3, 3) };
    return (soa_point){ link, soa_pose_from_rpy(xyz, rpy) };
}

/* An element of the kind with random numbers between the last link and another, or at the first joint that takes it. */
static soa_force random_force(kit *k, soa_force_kind kind, int other)
{
    soa_force e = soa_force_default(soa_force_kind_text(kind), kind);
    const int links = soa_model_links(k->model);
    e.stiffness = random_between(k, 10, 200);
    e.damping = kind == SOA_FORCE_CONTACT || kind == SOA_FORCE_JOINT_LIMIT ? 0.2 : random_between(k, 1, 5);
    e.length = kind == SOA_FORCE_CONTACT ? 8.0 : 0.2; /* a ball so large that it touches */
    e.value = random_between(k, 0.3, 2.0);
    e.speed = 0.3;
    e.lower = kind == SOA_FORCE_JOINT_LIMIT ? 7.0 : e.lower;
    e.upper = 9.0;
    e.in_body = true;
    for (int i = 0; i < 6; i++) {
        e.wrench[i] = random_between(k, -3, 3);
        e.hold[i] = random_between(k, 5, 50);
        e.damp[i] = random_between(k, 1, 3);
    }
    e.a = random_point(k, links - 1);
    e.b = random_point(k, other);
    for (int b = 0; b < soa_model_bodies(k->model); b++) {
        const soa_body body = soa_model_body(k->model, b);
        const bool fits = body.nv == 1 || (kind == SOA_FORCE_JOINT_SPRING && body.kind == SOA_SPHERICAL) ||
                          kind == SOA_FORCE_JOINT_DAMPER || kind == SOA_FORCE_JOINT_FRICTION;
        if (fits) {
            e.link = body.link;
        }
    }
    return e;
}

/* Hills under everything that the models can reach. */
enum { GRID = 12 };
static double HEIGHT[GRID * GRID];
static const soa_height_field HILLS = { GRID, GRID, -5.5, -5.5, 1.0, 1.0, HEIGHT };

static void make_hills(double bend)
{
    for (int i = 0; i < GRID * GRID; i++) {
        const double x = HILLS.x + i % GRID, y = HILLS.y + (double)(i / GRID);
        HEIGHT[i] = 0.1 * x + 0.2 * y + bend * sin(1.3 * x) * cos(0.9 * y);
    }
}

static void make(kit *k, int count, const soa_force *force)
{
    assert_int_equal(soa_forces_new(k->model, count, force, NULL, &k->forces, &k->error), SOA_OK);
}

static double apply(kit *k, const double *q, const double *v, double *power)
{
    double energy[KINDS], given[KINDS], sum = 0.0;
    const soa_force_report report = { .energy = energy, .power = given };
    memset(k->T, 0, sizeof k->T);
    memset(k->f, 0, sizeof k->f);
    assert_int_equal(soa_forces_apply(k->forces, 0.0, q, v, k->T, k->f, &report, &k->error), SOA_OK);
    *power = 0.0;
    for (int i = 0; i < soa_forces_count(k->forces); i++) {
        sum += energy[i];
        *power += given[i];
    }
    return sum;
}

/* Q = T + J* f, by inverse dynamics with and without f. */
static void generalized(kit *k, const double *q, const double *v, double *Q)
{
    double with[MOST], without[MOST], power;
    apply(k, q, v, &power);
    assert_int_equal(soa_inverse_dynamics(k->model, k->workspace, 1, q, NULL, NULL, k->f, with, NULL), SOA_OK);
    assert_int_equal(soa_inverse_dynamics(k->model, k->workspace, 1, q, NULL, NULL, NULL, without, NULL), SOA_OK);
    for (int i = 0; i < k->nv; i++) {
        Q[i] = k->T[i] + without[i] - with[i];
    }
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* dQ_dq and dQ_dv against central differences. */
static void check_derivatives(kit *k, const char *what)
{
    const double h = 1e-6;
    double by_q[MOST * MOST], by_v[MOST * MOST];
    assert_int_equal(soa_forces_derivatives(k->forces, 0.0, k->q, k->v, by_q, by_v, &k->error), SOA_OK);
    const double scale = 1.0 + largest(k->nv * k->nv, by_q) + largest(k->nv * k->nv, by_v);
    for (int c = 0; c < k->nv; c++) {
        double e[MOST] = { 0.0 }, q[2][MOST], v[2][MOST], Q[4][MOST];
        for (int side = 0; side < 2; side++) {
            e[c] = side == 0 ? h : -h;
            soa_integrate(k->model, k->q, e, 1.0, q[side]);
            memcpy(v[side], k->v, sizeof k->v);
            v[side][c] += e[c];
            generalized(k, q[side], k->v, Q[side]);
            generalized(k, k->q, v[side], Q[2 + side]);
        }
        for (int i = 0; i < k->nv; i++) {
            const double dq = (Q[0][i] - Q[1][i]) / (2 * h), dv = (Q[2][i] - Q[3][i]) / (2 * h);
            if (fabs(dq - by_q[i * k->nv + c]) > 1e-6 * scale || fabs(dv - by_v[i * k->nv + c]) > 1e-6 * scale) {
                fail_msg(
                    "%s: (%d, %d) dq %g %g dv %g %g", what, i, c, dq, by_q[i * k->nv + c], dv, by_v[i * k->nv + c]);
            }
        }
    }
}

static const char *const MODELS[] = { "arm7", "quadruped", "tree:9,3", "tree:12,5", "tree:10,11" };

static void derivatives_are_exact(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        for (int kind = 0; kind < SOA_FORCE_ELASTIC; kind++) { /* of flexible links: tests/flex */
            for (int other = -1; other < 2; other++) {
                kit k;
                begin(&k, MODELS[m], 17 * m + (unsigned)kind + 5);
                const soa_force e = random_force(&k, (soa_force_kind)kind, other);
                if (e.link != SOA_WORLD || !soa_force_kind_at_joint(e.kind)) {
                    make(&k, 1, &e);
                    check_derivatives(&k, soa_force_kind_text(e.kind));
                }
                end(&k);
            }
        }
    }
}

/* Springs in spherical joints, whose displacement is no difference of coordinates. */
static void derivatives_of_ball_springs_are_exact(void **state)
{
    (void)state;
    int found = 0;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        kit k;
        begin(&k, MODELS[m], 40 + m);
        for (int b = 0; b < soa_model_bodies(k.model); b++) {
            soa_force spring = soa_force_default("ball", SOA_FORCE_JOINT_SPRING);
            spring.stiffness = 30.0;
            spring.link = soa_model_body(k.model, b).link;
            if (soa_model_body(k.model, b).kind == SOA_SPHERICAL) {
                make(&k, 1, &spring);
                check_derivatives(&k, MODELS[m]);
                soa_forces_free(k.forces);
                k.forces = NULL;
                found++;
            }
        }
        end(&k);
    }
    assert_true(found > 0);
}

/* Of every shape, on the plane and on hills. */
static void derivatives_of_contacts_are_exact(void **state)
{
    (void)state;
    static const soa_shape SHAPE[] = { SOA_SHAPE_SPHERE, SOA_SHAPE_CAPSULE, SOA_SHAPE_BOX };
    make_hills(0.3);
    for (int i = 0; i < 6; i++) {
        kit k;
        begin(&k, "tree:12,5", 40u + (unsigned)i);
        soa_force e = random_force(&k, SOA_FORCE_CONTACT, i % 3 - 1);
        e.shape = SHAPE[i / 2];
        e.field = i % 2 == 1 ? &HILLS : NULL;
        e.size[0] = 0.4;
        e.size[1] = 0.5;
        e.size[2] = 0.6;
        make(&k, 1, &e);
        check_derivatives(&k, soa_shape_text(e.shape));
        end(&k);
    }
}

/* The forces of a set at the state of the kit. */
static double forces_of(kit *k, int count, const soa_force *force, double *f)
{
    double power;
    soa_forces_free(k->forces);
    make(k, count, force);
    const double energy = apply(k, k->q, k->v, &power);
    memcpy(f, k->f, sizeof k->f);
    return energy;
}

static void expect_same(const double *x, const double *y)
{
    const double size = largest(6 * MOST, x);
    assert_true(size > 1.0);
    for (int i = 0; i < 6 * MOST; i++) {
        assert_true(fabs(x[i] - y[i]) <= 1e-12 * size);
    }
}

/* Heights that rise evenly, away from the edges. */
static void fields_are_planes_that_lean(void **state)
{
    (void)state;
    kit k;
    double f[6 * MOST], plane[6 * MOST], slope[2];
    const double at[3] = { 0.0 }, level[3] = { 0.0 }, lean[3] = { atan(0.2 / sqrt(1.01)), -atan(0.1), 0.0 };
    begin(&k, "quadruped", 8);
    make_hills(0.0);
    assert_true(fabs(soa_height_field_at(&HILLS, 0.3, -0.7, slope) + 0.11) < 1e-15);
    assert_true(fabs(slope[0] - 0.1) < 1e-14 && fabs(slope[1] - 0.2) < 1e-14);
    assert_true(soa_height_field_at(&HILLS, 99.0, 99.0, slope) == HEIGHT[GRID * GRID - 1] && slope[0] == 0.0);
    soa_force e = random_force(&k, SOA_FORCE_CONTACT, SOA_WORLD);
    e.length = 3.0;
    e.b.at = soa_pose_from_rpy(at, level);
    e.field = &HILLS;
    const double stored = forces_of(&k, 1, &e, f);
    e.field = NULL;
    e.b.at = soa_pose_from_rpy(at, lean);
    assert_true(fabs(forces_of(&k, 1, &e, plane) / stored - 1.0) < 1e-12);
    expect_same(f, plane);
    end(&k);
}

static void shapes_are_their_balls(void **state)
{
    (void)state;
    for (int i_shape = 0; i_shape < 2; i_shape++) {
        const soa_shape shape = i_shape == 0 ? SOA_SHAPE_CAPSULE : SOA_SHAPE_BOX;
        kit k;
        double f[6 * MOST], sum[6 * MOST];
        const double level[3] = { 0.0 };
        const int balls = shape == SOA_SHAPE_BOX ? 8 : 2;
        begin(&k, "quadruped", 9);
        soa_force e = random_force(&k, SOA_FORCE_CONTACT, SOA_WORLD), ball[8];
        e.shape = shape;
        e.size[0] = shape == SOA_SHAPE_BOX ? 0.4 : 0.0;
        e.size[1] = shape == SOA_SHAPE_BOX ? 0.6 : 0.0;
        e.size[2] = 0.8;
        for (int i = 0; i < balls; i++) {
            const int corner = shape == SOA_SHAPE_BOX ? i : 4 * i;
            const double at[3] = { (corner & 1 ? 0.5 : -0.5) * e.size[0], (corner & 2 ? 0.5 : -0.5) * e.size[1],
                (corner & 4 ? 0.5 : -0.5) * e.size[2] };
            const soa_pose place = soa_pose_from_rpy(at, level);
            ball[i] = e;
            ball[i].shape = SOA_SHAPE_SPHERE;
            ball[i].a.at = soa_pose_compose(&e.a.at, &place);
        }
        const double stored = forces_of(&k, 1, &e, f);
        assert_true(fabs(forces_of(&k, balls, ball, sum) / stored - 1.0) < 1e-12);
        expect_same(f, sum);
        end(&k);
    }
}

/* Without damping and friction dE/dt + power = 0 along any motion: the energy is what the force follows from. */
static void energy_and_power_agree(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        for (int kind = 0; kind < SOA_FORCE_ELASTIC; kind++) { /* of flexible links: tests/flex */
            kit k;
            begin(&k, MODELS[m], 91 * m + (unsigned)kind);
            soa_force e = random_force(&k, (soa_force_kind)kind, 0);
            e.damping = e.value = 0.0;
            memset(e.damp, 0, sizeof e.damp);
            if (e.link != SOA_WORLD || !soa_force_kind_at_joint(e.kind)) {
                make(&k, 1, &e);
                if (soa_forces_conservative(k.forces, 0)) {
                    const double h = 1e-6;
                    double q[MOST], power, ignored;
                    soa_integrate(k.model, k.q, k.v, h, q);
                    const double after = apply(&k, q, k.v, &ignored);
                    soa_integrate(k.model, k.q, k.v, -h, q);
                    const double before = apply(&k, q, k.v, &ignored), now = apply(&k, k.q, k.v, &power);
                    assert_true(now > 0.0);
                    assert_true(fabs((after - before) / (2 * h) + power) < 1e-7 * (1.0 + now));
                }
            }
            end(&k);
        }
    }
}

/* Which elements have an energy alone, and that damping, friction and an end take it away. */
static void conservative_elements_are_told(void **state)
{
    (void)state;
    static const struct {
        soa_force_kind kind;
        size_t at; /* of a number that is positive; 0: none */
        bool yes;
    } cases[] = {
        { SOA_FORCE_SPRING, 0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, damping), false },
        { SOA_FORCE_SPRING, offsetof(soa_force, value), true },
        { SOA_FORCE_SPRING, offsetof(soa_force, damp[5]), true },
        { SOA_FORCE_SPRING, offsetof(soa_force, to), false },
        { SOA_FORCE_SPRING, offsetof(soa_force, from), false },
        { SOA_FORCE_BUSHING, 0, true },
        { SOA_FORCE_BUSHING, offsetof(soa_force, damp[5]), false },
        { SOA_FORCE_CONTACT, 0, true },
        { SOA_FORCE_CONTACT, offsetof(soa_force, value), false },
        { SOA_FORCE_JOINT_SPRING, 0, true },
        { SOA_FORCE_JOINT_LIMIT, 0, true },
        { SOA_FORCE_TORQUE, 0, false },
        { SOA_FORCE_DRAG, 0, false },
        { SOA_FORCE_WRENCH, 0, false },
        { SOA_FORCE_JOINT_DAMPER, 0, false },
        { SOA_FORCE_JOINT_FRICTION, 0, false },
        { SOA_FORCE_JOINT_STOP, 0, false },
    };
    kit k;
    begin(&k, "arm7", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = random_force(&k, cases[i].kind, SOA_WORLD);
        e.damping = e.value = 0.0;
        memset(e.damp, 0, sizeof e.damp);
        if (cases[i].at) {
            *(double *)((char *)&e + cases[i].at) = 1.0;
        }
        make(&k, 1, &e);
        assert_int_equal(soa_forces_conservative(k.forces, 0), cases[i].yes);
        assert_false(soa_forces_conservative(k.forces, 1));
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
    soa_flexible still; /* the same beams, first with their damping and then without it */
    begin(&k, "flexible-chain:2,3", 1);
    soa_force e = soa_force_default("bend", SOA_FORCE_ELASTIC);
    e.link = 1;
    make(&k, 1, &e);
    assert_false(soa_forces_conservative(k.forces, 0));
    soa_builder *b = soa_builder_new(NULL);
    soa_link link = *soa_model_link(k.model, 1);
    still = *link.flexible;
    still.damping = NULL;
    link.flexible = &still;
    link.parent = SOA_WORLD;
    link.node = 0;
    e.link = 0;
    soa_model *free_of_it;
    soa_forces *forces;
    assert_int_equal(soa_builder_add_link(b, &link, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &free_of_it, NULL), SOA_OK);
    assert_int_equal(soa_forces_new(free_of_it, 1, &e, NULL, &forces, NULL), SOA_OK);
    assert_true(soa_forces_conservative(forces, 0));
    soa_forces_free(forces);
    soa_model_free(free_of_it);
    soa_builder_free(b);
    end(&k);
    assert_string_equal(soa_force_kind_meaning(SOA_FORCE_KINDS), "");
    assert_true(soa_force_kind_meaning(SOA_FORCE_SPRING)[0] != '\0');
}

/* A joint of many coordinates takes no torque, limit, stop or dry friction, a free one no spring, a rigid link no modes. */
static void joints_take_what_fits(void **state)
{
    (void)state;
    static const struct {
        soa_force_kind kind;
        bool stick;
        soa_status status;
    } cases[] = { { SOA_FORCE_JOINT_SPRING, false, SOA_E_UNSUPPORTED }, { SOA_FORCE_TORQUE, false, SOA_E_UNSUPPORTED },
        { SOA_FORCE_JOINT_LIMIT, false, SOA_E_UNSUPPORTED }, { SOA_FORCE_JOINT_STOP, false, SOA_E_UNSUPPORTED },
        { SOA_FORCE_JOINT_FRICTION, true, SOA_E_UNSUPPORTED }, { SOA_FORCE_JOINT_FRICTION, false, SOA_OK },
        { SOA_FORCE_JOINT_DAMPER, false, SOA_OK }, { SOA_FORCE_ELASTIC, false, SOA_E_NAME } };
    kit k;
    begin(&k, "satellite", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = soa_force_default("x", cases[i].kind);
        e.stick = cases[i].stick;
        e.link = soa_model_body(k.model, 0).link; /* a free joint carries it */
        assert_int_equal(soa_forces_new(k.model, 1, &e, NULL, &k.forces, &k.error), cases[i].status);
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
}

/* A_v += B_v (dQ_dq dQ_dv), and the rows of dvdot in C are those of A. */
static void linear_models_take_the_derivatives(void **state)
{
    (void)state;
    enum { NV = 7, N = 2 * NV };
    kit k;
    begin(&k, "arm7", 5);
    const soa_force e = random_force(&k, SOA_FORCE_BUSHING, SOA_WORLD);
    make(&k, 1, &e);
    double A[N * N], was[N * N], B[N * NV], C[(N + NV) * N] = { 0 }, dQ[2 * NV * NV];
    for (int i = 0; i < N * N; i++) {
        was[i] = A[i] = random_between(&k, -1, 1);
    }
    for (int i = 0; i < N * NV; i++) {
        B[i] = random_between(&k, -1, 1);
    }
    assert_int_equal(soa_forces_linear(k.forces, 0.0, k.q, k.v, A, B, C, dQ, &k.error), SOA_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = was[i * N + j];
            for (int n = 0; n < NV && i >= NV; n++) {
                sum += B[i * NV + n] * dQ[(j < NV ? n : NV + n) * NV + j % NV];
            }
            assert_true(fabs(A[i * N + j] - sum) < 1e-11 * (1.0 + fabs(sum)));
            assert_true(i < NV || C[(NV + i) * N + j] == A[i * N + j]);
        }
    }
    end(&k);
}

/* Power is Q . v, whatever the element. */
static void power_is_that_of_the_forces(void **state)
{
    (void)state;
    kit k;
    soa_force force[KINDS];
    begin(&k, "tree:12,5", 3);
    int count = 0;
    for (int kind = 0; kind < SOA_FORCE_ELASTIC; kind++) { /* of flexible links: tests/flex */
        force[count] = random_force(&k, (soa_force_kind)kind, 0);
        count += force[count].link != SOA_WORLD || !soa_force_kind_at_joint(force[count].kind) ? 1 : 0;
    }
    make(&k, count, force);
    double power, sum = 0.0;
    apply(&k, k.q, k.v, &power);
    generalized(&k, k.q, k.v, k.Q);
    for (int i = 0; i < k.nv; i++) {
        sum += k.Q[i] * k.v[i];
    }
    assert_true(fabs(sum - power) < 1e-11 * (1.0 + fabs(power)));
    end(&k);
}

static void expect_refusal(kit *k, soa_force e, soa_status status)
{
    soa_forces *forces = NULL;
    assert_int_equal(soa_forces_new(k->model, 1, &e, NULL, &forces, &k->error), status);
    assert_null(forces);
    assert_true(k->error.text[0] != '\0');
}

static void bad_elements_are_refused(void **state)
{
    (void)state;
    kit k;
    begin(&k, "arm7", 1);
    soa_force e = random_force(&k, SOA_FORCE_SPRING, 0);
    const int beyond[] = { SOA_WORLD - 1, soa_model_links(k.model) };
    for (int i = 0; i < 4; i++) {
        soa_force out = e;
        *(i % 2 ? &out.a.link : &out.b.link) = beyond[i / 2];
        expect_refusal(&k, out, SOA_E_NAME);
        out = e;
        *(i % 2 ? &out.a.node : &out.b.node) = 1;
        expect_refusal(&k, out, SOA_E_UNSUPPORTED);
    }
    e = soa_force_default("x", SOA_FORCE_TORQUE);
    expect_refusal(&k, e, SOA_E_NAME);
    const double t[] = { 0.0, 0.0 }, x[] = { 1.0, 2.0 };
    e.link = soa_model_body(k.model, 0).link;
    e.table = (soa_series){ 2, t, x };
    expect_refusal(&k, e, SOA_E_NUMBER);
    e = random_force(&k, SOA_FORCE_CONTACT, SOA_WORLD);
    e.size[1] = -1.0;
    expect_refusal(&k, e, SOA_E_NUMBER);
    e.size[1] = 0.0;
    e.shape = SOA_SHAPE_MESH;
    expect_refusal(&k, e, SOA_E_NUMBER);
    const double heights[] = { 0.0, 1.0, 2.0, NAN };
    soa_height_field field = { 2, 2, 0.0, 0.0, 1.0, 1.0, heights };
    e.shape = SOA_SHAPE_SPHERE;
    e.field = &field;
    expect_refusal(&k, e, SOA_E_NUMBER);
    field.rows = 1;
    expect_refusal(&k, e, SOA_E_NUMBER);
    e = soa_force_default("x", (soa_force_kind)99);
    expect_refusal(&k, e, SOA_E_ARGUMENT);
    e = random_force(&k, SOA_FORCE_SPRING, 0);
    e.b = e.a;
    make(&k, 1, &e);
    assert_int_equal(soa_forces_apply(k.forces, 0.0, k.q, k.v, k.T, k.f, NULL, &k.error), SOA_E_SINGULAR);
    end(&k);
}

/* Each number alone beyond what it may be, and at its bounds. */
static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        soa_force_kind kind;
        size_t at;
        double value;
        bool good;
    } cases[] = {
        { SOA_FORCE_SPRING, offsetof(soa_force, stiffness), 0.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, stiffness), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, damping), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, length), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, length), INFINITY, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, reference), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, wrench[5]), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, hold[5]), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, damp[5]), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, lower), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, upper), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, from), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, to), NAN, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, exponent), 1.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, exponent), 0.9, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, holding), -1.0, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, holding), INFINITY, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, restitution), 1.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, restitution), 1.1, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, restitution), -0.1, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, lower), 9.0, true },
        { SOA_FORCE_SPRING, offsetof(soa_force, lower), 9.1, false },
        { SOA_FORCE_SPRING, offsetof(soa_force, value), -1.0, true },
        { SOA_FORCE_CONTACT, offsetof(soa_force, value), -1.0, false },
        { SOA_FORCE_JOINT_FRICTION, offsetof(soa_force, value), -1.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, value), 0.0, true },
        { SOA_FORCE_CONTACT, offsetof(soa_force, speed), 0.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, size[0]), -1.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, size[2]), -1.0, false },
        { SOA_FORCE_CONTACT, offsetof(soa_force, size[1]), INFINITY, false },
    };
    kit k;
    begin(&k, "arm7", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = random_force(&k, cases[i].kind, SOA_WORLD); /* upper is 9 */
        *(double *)((char *)&e + cases[i].at) = cases[i].value;
        if (cases[i].good) {
            make(&k, 1, &e);
            soa_forces_free(k.forces);
            k.forces = NULL;
        } else {
            expect_refusal(&k, e, SOA_E_NUMBER);
        }
    }
    end(&k);
}

/* The laws of soa/force.h by hand, at q = 0.7, v = -0.4. */
static void joint_laws_have_their_values(void **state)
{
    (void)state;
    kit k;
    begin(&k, "pendulum", 1);
    const int link = soa_model_body(k.model, 0).link;
    const struct {
        soa_force e;
        double T, energy;
    } cases[] = {
        { { .kind = SOA_FORCE_TORQUE, .value = 3.0 }, 3.0, 0.0 },
        { { .kind = SOA_FORCE_JOINT_SPRING, .stiffness = 10.0, .reference = 0.2 }, -5.0, 1.25 },
        { { .kind = SOA_FORCE_JOINT_DAMPER, .damping = 2.0 }, 0.8, 0.0 },
        { { .kind = SOA_FORCE_JOINT_FRICTION, .value = 3.0, .speed = 0.3 }, 2.4, 0.0 },
        { { .kind = SOA_FORCE_JOINT_LIMIT, .lower = -1.0, .upper = 0.5, .stiffness = 10.0, .damping = 0.25 }, -1.8,
            0.2 },
        { { .kind = SOA_FORCE_JOINT_LIMIT, .lower = 1.0, .upper = 2.0, .stiffness = 10.0, .damping = 0.25 }, 3.3,
            0.45 },
        { { .kind = SOA_FORCE_JOINT_LIMIT, .lower = 0.5, .upper = 1.0, .stiffness = 10.0, .damping = 0.25 }, 0.0, 0.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = cases[i].e;
        double power;
        e.link = link;
        e.exponent = 1.5, e.from = -INFINITY, e.to = INFINITY;
        make(&k, 1, &e);
        assert_true(fabs(apply(&k, (double[]){ 0.7 }, (double[]){ -0.4 }, &power) - cases[i].energy) < 1e-14);
        assert_true(fabs(k.T[0] - cases[i].T) < 1e-14 && fabs(power + 0.4 * k.T[0]) < 1e-14);
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
}

/* The same at points: a free body at (0.3, 0.4, 0), turned about z by a right angle, moves with (1, 2, 2) m/s. */
static void point_laws_have_their_values(void **state)
{
    (void)state;
    kit k;
    begin(&k, "satellite", 1);
    const double half = sqrt(0.5), q[MOST] = { half, 0.0, 0.0, half, 0.3, 0.4, 0.0 };
    const struct {
        soa_force e;
        double w, wrench[6], energy; /* w: angular velocity about z */
    } cases[] = {
        { { .kind = SOA_FORCE_DRAG, .damping = 2.0, .value = 0.5 }, 0.0, { 0, 0, 0, -3.5, -7.0, -7.0 }, 0.0 },
        { { .kind = SOA_FORCE_WRENCH, .wrench = { 1, 2, 3, 4, 5, 6 } }, 0.0, { 1, 2, 3, 4, 5, 6 }, 0.0 },
        { { .kind = SOA_FORCE_WRENCH, .wrench = { 1, 2, 3, 4, 5, 6 }, .in_body = true }, 0.0, { -2, 1, 3, -5, 4, 6 },
            0.0 },
        { { .kind = SOA_FORCE_SPRING, .stiffness = 10.0, .length = 0.1, .damping = 2.0 }, 0.0,
            { 0, 0, 0, -5.04, -6.72, 0.0 }, 0.8 },
        { { .kind = SOA_FORCE_BUSHING, .hold = { 1, 2, 0, 4, 5, 6 }, .damp = { 1, 2, 3, 0.1, 0.2, 0.3 } }, 0.5,
            { 0, 0, -1.5, -1.3, -2.4, -0.6 }, 0.58 },
        { { .kind = SOA_FORCE_CONTACT,
              .shape = SOA_SHAPE_SPHERE,
              .length = 1.0,
              .stiffness = 10.0,
              .exponent = 1.5,
              .damping = 0.2,
              .value = 0.6,
              .speed = 2.0 },
            0.0, { -0.8, 0.4, 0, -0.8, -1.6, 4.0 }, 4.0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        soa_force e = cases[i].e;
        double v[MOST] = { 0, 0, cases[i].w, 2.0, -1.0, 2.0 }, wrench[6], energy; /* in the axes of the body */
        e.a = (soa_point){ soa_model_body(k.model, 0).link, soa_pose_identity() };
        e.b = (soa_point){ SOA_WORLD, soa_pose_identity() };
        e.exponent = 1.5, e.from = -INFINITY, e.to = INFINITY;
        make(&k, 1, &e);
        const soa_force_report report = { .energy = &energy, .wrench = wrench };
        assert_int_equal(soa_forces_apply(k.forces, 0.0, q, v, k.T, k.f, &report, &k.error), SOA_OK);
        assert_true(fabs(energy - cases[i].energy) < 1e-14);
        for (int j = 0; j < 6; j++) {
            assert_true(fabs(wrench[j] - cases[i].wrench[j]) < 1e-14);
        }
        soa_forces_free(k.forces);
    }
    k.forces = NULL;
    end(&k);
}

static void series_are_joined_by_lines(void **state)
{
    (void)state;
    const double t[] = { 0.0, 1.0, 3.0 }, x[] = { 1.0, 2.0, -2.0 };
    const soa_series s = { 3, t, x };
    assert_true(soa_series_at(&s, -1.0) == 1.0 && soa_series_at(&s, 5.0) == -2.0);
    assert_true(soa_series_at(&s, 0.5) == 1.5 && soa_series_at(&s, 2.0) == 0.0 && soa_series_at(&s, 1.0) == 2.0);
}

/* Elements are found by name, and asked; what is no element is said. */
static void elements_are_found(void **state)
{
    (void)state;
    kit k;
    begin(&k, "arm7", 1);
    soa_force e[2] = { random_force(&k, SOA_FORCE_SPRING, 0), random_force(&k, SOA_FORCE_DRAG, 0) };
    e[0].name = "rope", e[1].name = NULL;
    make(&k, 2, e);
    assert_int_equal(soa_forces_find(k.forces, "rope"), 0);
    assert_int_equal(soa_forces_find(k.forces, "chain"), -1);
    assert_int_equal(soa_forces_find(k.forces, NULL), -1);
    assert_true(soa_forces_enabled(k.forces, 0));
    assert_int_equal(soa_forces_enable(k.forces, 0, false, &k.error), SOA_OK);
    assert_false(soa_forces_enabled(k.forces, 0));
    assert_false(soa_forces_enabled(k.forces, 2));
    assert_int_equal(soa_forces_enable(k.forces, 2, true, &k.error), SOA_E_ARGUMENT);
    assert_string_equal(k.error.text, "force 2 does not exist");
    end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(derivatives_of_ball_springs_are_exact),
        cmocka_unit_test(derivatives_of_contacts_are_exact),
        cmocka_unit_test(fields_are_planes_that_lean),
        cmocka_unit_test(shapes_are_their_balls),
        cmocka_unit_test(energy_and_power_agree),
        cmocka_unit_test(conservative_elements_are_told),
        cmocka_unit_test(joints_take_what_fits),
        cmocka_unit_test(linear_models_take_the_derivatives),
        cmocka_unit_test(power_is_that_of_the_forces),
        cmocka_unit_test(bad_elements_are_refused),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(joint_laws_have_their_values),
        cmocka_unit_test(point_laws_have_their_values),
        cmocka_unit_test(elements_are_found),
        cmocka_unit_test(series_are_joined_by_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
