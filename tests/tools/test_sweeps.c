/* Sweeps that `soa emit` writes for any tree, beside the library's dynamics and the runner of the language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "soa/soa.h"
#include "sweep/vars.kernel.h"

enum { NUMBERS = 512, POINTS = 2 };

#define MODEL  const soa_model *model, void *work, const double *q
#define LOOKED int points, const soa_point *point
bool emitted_fd(MODEL, const double *beta, const double *T, double *y);
bool emitted_fd1(MODEL, const double *beta, const double *T, double *y);
bool emitted_fd2(MODEL, const double *beta, const double *T, double *y, motion *alpha);
bool emitted_fd3(MODEL, const double *beta, const double *T, double *y);
bool emitted_fd4(MODEL, const double *beta, const double *T, double *y);
bool emitted_id(MODEL, const double *beta, const double *betadot, double *y);
bool emitted_gravity(MODEL, double *y);
bool emitted_mass(MODEL, const double *x, double *y);
bool emitted_massinv(MODEL, const double *x, double *y);
bool emitted_jacobian(MODEL, const double *x, LOOKED, motion *y);
bool emitted_osim(MODEL, const force *x, LOOKED, motion *y);
bool emitted_energy(MODEL, const double *beta, double *y);
bool emitted_bodies(MODEL, const motion *x, motion *y);
bool emitted_points(MODEL, const force *f_c, const double *betadot, LOOKED, motion *y);

typedef struct scene {
    soa_model *model;
    void *work;
    soa_point point[POINTS]; /* on the last link, and on the world */
    double q[NUMBERS], v[NUMBERS], u[NUMBERS], x[NUMBERS], y[NUMBERS], zero[NUMBERS], wanted[NUMBERS];
    soa_error error;
} scene;

static void scene_begin(scene *s, const char *name)
{
    unsigned long long seed = 7;
    *s = (scene){ 0 };
    assert_int_equal(soa_model_builtin(name, NULL, &s->model, &s->error), SOA_OK);
    s->work = aligned_alloc(SOA_ALIGNMENT, 1 << 20);
    assert_non_null(s->work);
    soa_random_configuration(s->model, &seed, s->q);
    for (int i = 0; i < NUMBERS; i++) {
        s->v[i] = soa_model_random_number(&seed);
        s->u[i] = soa_model_random_number(&seed);
        s->x[i] = soa_model_random_number(&seed);
    }
    s->point[0] = (soa_point){ .link = soa_model_links(s->model) - 1 };
    s->point[1] = (soa_point){ .link = SOA_WORLD };
    for (int i = 0; i < POINTS; i++) {
        s->point[i].at = soa_pose_identity();
        s->point[i].at.position[0] = 0.25;
    }
}

static void scene_end(scene *s)
{
    free(s->work);
    soa_model_free(s->model);
}

static void near(scene *s, const char *what, bool good, int n)
{
    double largest = 0.0;
    assert_true(good);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(s->wanted[i]));
    }
    for (int i = 0; i < n; i++) {
        if (!(fabs(s->y[i] - s->wanted[i]) <= 1e-11 * largest)) {
            fail_msg("%s: number %d is %.17g instead of %.17g", what, i, s->y[i], s->wanted[i]);
        }
    }
}

/* The same by the runner; x is bound to the name that is not NULL. */
static void run(scene *s, const char *declared, const char *text, const char *x)
{
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    assert_int_equal(soa_program_new(NULL, &program, &s->error), SOA_OK);
    assert_int_equal(soa_program_read(program, declared, SOA_READ_PROGRAM, &s->error), SOA_OK);
    assert_int_equal(soa_program_read(program, text, SOA_READ_PROGRAM, &s->error), SOA_OK);
    const int last = soa_program_statements(program) - 1;
    assert_int_equal(soa_compile(s->model, program, SOA_SIMPLIFIED, 1, &last, &compiled, &s->error), SOA_OK);
    assert_int_equal(soa_runner_new(compiled, POINTS, s->point, NULL, &runner, &s->error), SOA_OK);
    assert_int_equal(soa_runner_bind(runner, x, s->x, &s->error), SOA_OK);
    (void)soa_runner_bind(runner, "betadot", s->u, NULL); /* where it is read */
    assert_int_equal(soa_runner_bind_output(runner, "wanted", s->wanted, &s->error), SOA_OK);
    assert_int_equal(soa_runner_run(runner, 1, s->q, &s->error), SOA_OK);
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
}

static void dynamics(scene *s, bool rotors)
{
    soa_workspace *w;
    motion alpha[NUMBERS / 6];
    const int nv = s->model->nv;
    assert_int_equal(soa_workspace_new(s->model, NULL, &w, &s->error), SOA_OK);
    assert_int_equal(soa_forward_dynamics(s->model, w, 1, s->q, s->v, s->u, NULL, s->wanted, &s->error), SOA_OK);
    near(s, "fd", emitted_fd(s->model, s->work, s->q, s->v, s->u, s->y), nv);
    near(s, "fd:1", emitted_fd1(s->model, s->work, s->q, s->v, s->u, s->y), nv);
    near(s, "fd:2", emitted_fd2(s->model, s->work, s->q, s->v, s->u, s->y, alpha), nv);
    near(s, "fd:3", emitted_fd3(s->model, s->work, s->q, s->v, s->u, s->y), rotors ? 0 : nv);
    near(s, "fd:4", emitted_fd4(s->model, s->work, s->q, s->v, s->u, s->y), rotors ? 0 : nv);
    assert_int_equal(soa_inverse_dynamics(s->model, w, 1, s->q, s->v, s->u, NULL, s->wanted, &s->error), SOA_OK);
    near(s, "id", emitted_id(s->model, s->work, s->q, s->v, s->u, s->y), nv);
    assert_int_equal(soa_inverse_dynamics(s->model, w, 1, s->q, s->zero, s->zero, NULL, s->wanted, &s->error), SOA_OK);
    near(s, "gravity", emitted_gravity(s->model, s->work, s->q, s->y), nv);
    soa_workspace_free(w);
}

static void expressions(scene *s)
{
    const soa_model *m = s->model;
    const force *f = (const force *)(const void *)s->x;
    motion *y = (motion *)(void *)s->y;
    run(s, "x: joint acceleration", "wanted = Mass x", "x");
    near(s, "mass", emitted_mass(m, s->work, s->q, s->x, s->y), m->nv);
    run(s, "x: joint force", "wanted = Mass^-1 x", "x");
    near(s, "massinv", emitted_massinv(m, s->work, s->q, s->x, s->y), m->nv);
    run(s, "x: joint velocity", "wanted = J x", "x");
    near(s, "jacobian", emitted_jacobian(m, s->work, s->q, s->x, POINTS, s->point, y), 6 * POINTS);
    run(s, "x: point force", "wanted = Lambda x", "x");
    near(s, "osim", emitted_osim(m, s->work, s->q, f, POINTS, s->point, y), 6 * POINTS);
    run(s, "x: joint velocity", "wanted = 1/2 x' Mass x", "x");
    near(s, "energy", emitted_energy(m, s->work, s->q, s->x, s->y), 1);
    run(s, "x: body acceleration", "wanted = 3 phi' x - Ups M x", "x");
    near(s, "bodies", emitted_bodies(m, s->work, s->q, (const motion *)(const void *)s->x, y), 6 * m->bodies);
    run(s, "", "wanted = 2 B' Omega B f_c + J betadot", "f_c");
    near(s, "points", emitted_points(m, s->work, s->q, f, s->u, POINTS, s->point, y), 6 * POINTS);
}

static void as_the_library(void **state)
{
    (void)state;
    static const char *const name[] = { "arm7", "tree:7,6", "quadruped", "humanoid" };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        scene s;
        scene_begin(&s, name[i]);
        bool rotors = false;
        for (int k = 0; k < s.model->bodies; k++) {
            rotors = rotors || s.model->body[k].armature != 0.0 || s.model->body[k].geared;
        }
        dynamics(&s, rotors);
        expressions(&s);
        scene_end(&s);
    }
}

/* The sweeps are those of rigid links, and refuse others. */
static void not_of_flexible_links(void **state)
{
    scene s;
    (void)state;
    scene_begin(&s, "flexible-chain:2,3");
    assert_false(emitted_fd(s.model, s.work, s.q, s.v, s.u, s.y));
    assert_false(emitted_gravity(s.model, s.work, s.q, s.y));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_the_library), cmocka_unit_test(not_of_flexible_links) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
