/* Many states in one call: the bits of each are those of a call of its own, and one that fails harms no other. */
#include "closure/kinds.h"
#include "soa/linear.h"
#include "soa/sens.h"

enum { STATES = 5, BAD = 2, MOST = 200000 };

/* What a function makes of so many states from one on: results into y, `n` numbers for each; the status. */
typedef struct many {
    closed_kit *kit;
    double *q, *v, *T, *f;
    soa_closed_point point;
    int bodies;
} many;

typedef soa_status (*asked)(const many *m, int first, int states, double *y, int *n, soa_error *e);

static double *all_of(const double *x, int n, int first)
{
    return (double *)(uintptr_t)(x + (ptrdiff_t)n * first);
}
#define Q     all_of(m->q, m->kit->nq, first)
#define V     all_of(m->v, m->kit->nv, first)
#define FORCE all_of(m->T, m->kit->nv, first)
#define F     all_of(m->f, 6 * m->bodies, first)

static soa_status violation(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->rows;
    return soa_closure_violation(m->kit->set, states, Q, V, NULL, y, e);
}

static soa_status jacobian(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->rows * m->kit->nv;
    return soa_closure_jacobian(m->kit->set, states, Q, y, e);
}

static soa_status jacobian_rate(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->rows * m->kit->nv;
    return soa_closure_jacobian_rate(m->kit->set, states, Q, V, y, e);
}

static soa_status bias(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->rows;
    return soa_closure_bias(m->kit->set, states, Q, V, y, e);
}

static soa_status forward(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->nv;
    return soa_closed_forward_dynamics(m->kit->set, states, Q, V, FORCE, F, y, NULL, NULL, e);
}

static soa_status multipliers(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    static double vdot[MOST];
    *n = m->kit->rows;
    return soa_closed_forward_dynamics(m->kit->set, states, Q, V, FORCE, F, vdot, y, NULL, e);
}

/* T of the accelerations that zero forces give. */
static soa_status inverse(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    static double vdot[MOST];
    *n = m->kit->nv;
    const soa_status status = soa_closed_forward_dynamics(m->kit->set, states, Q, V, NULL, F, vdot, NULL, NULL, e);
    return status == SOA_OK ? soa_closed_inverse_dynamics(m->kit->set, states, Q, V, vdot, F, NULL, y, NULL, e)
                            : status;
}

static soa_status velocity(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->nv;
    memcpy(y, V, (size_t)(states * m->kit->nv) * sizeof *y);
    return soa_closure_project_velocity(m->kit->set, SOA_METRIC_MASS, states, Q, y, NULL, e);
}

static soa_status effective(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = 36;
    return soa_closed_operational_inertia(m->kit->set, 1, &m->point, states, Q, y, NULL, e);
}

static soa_status by_velocity(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    *n = m->kit->nv * m->kit->nv;
    const soa_closed_derivatives out = { .vdot_v = y };
    return soa_closed_forward_dynamics_derivatives(m->kit->set, states, Q, V, FORCE, F, &out, e);
}

static soa_status linear(const many *m, int first, int states, double *y, int *n, soa_error *e)
{
    static double B[MOST];
    *n = 4 * m->kit->nv * m->kit->nv;
    return soa_closed_linear_model(m->kit->set, states, Q, V, FORCE, F, y, B, NULL, NULL, e);
}

static const struct {
    const char *name;
    asked ask;
} ASKED[] = { { "violation", violation }, { "jacobian", jacobian }, { "jacobian_rate", jacobian_rate },
    { "bias", bias }, { "forward dynamics", forward }, { "multipliers", multipliers }, { "inverse dynamics", inverse },
    { "project_velocity", velocity }, { "operational inertia", effective }, { "derivatives", by_velocity },
    { "linear model", linear } };
enum { CALLS = sizeof ASKED / sizeof *ASKED };

static void begin(closed_kit *kit, int n, many *m)
{
    *kit = (closed_kit){ .seed = 70ull + (unsigned)n, .systems = 1 + n % 2 };
    *m = (many){ .kit = kit };
    for (int s = 0; s < kit->systems; s++) {
        make_tree(kit, s, 6);
        m->bodies += soa_model_bodies(kit->model[s]);
    }
    kit_begin(kit, NULL);
    assert_true(add_some(kit, (soa_closure_kind)(n % SOA_CLOSURE_KINDS)) >= 0);
    OK(kit, soa_closures_reserve_derivatives(kit->set, &kit->error));
    kit->rows = soa_closures_rows(kit->set);
    m->q = calloc((size_t)(STATES * (kit->nq + 2 * kit->nv + 6 * m->bodies)), sizeof *m->q);
    m->v = m->q + STATES * kit->nq;
    m->T = m->v + STATES * kit->nv;
    m->f = m->T + STATES * kit->nv;
    m->point = (soa_closed_point){ 0, { 0, some_pose(kit, 0.5) } };
    for (int s = 0; s < STATES; s++) {
        kit_state(kit);
        memcpy(m->q + s * kit->nq, kit->q, (size_t)kit->nq * sizeof *kit->q);
        memcpy(m->v + s * kit->nv, kit->v, (size_t)kit->nv * sizeof *kit->q);
        memcpy(m->T + s * kit->nv, kit->T, (size_t)kit->nv * sizeof *kit->q);
    }
    for (int i = 0; i < STATES * 6 * m->bodies; i++) {
        m->f[i] = some(kit);
    }
}

/* Every state by itself, and all at once: the same bits, and the status of the first that fails. */
static void same_bits(void **state)
{
    (void)state;
    static double one[MOST], all[MOST];
    int solved = 0;
    for (int n = 0; n < 2 * SOA_CLOSURE_KINDS; n++) {
        closed_kit kit;
        many m;
        begin(&kit, n, &m);
        for (int c = 0; c < CALLS; c++) {
            int size = 0;
            soa_status first = SOA_OK;
            for (int s = 0; s < STATES; s++) {
                const soa_status status = ASKED[c].ask(&m, s, 1, one + (size_t)s * (size_t)size, &size, NULL);
                first = first == SOA_OK ? status : first;
                solved += status == SOA_OK;
            }
            assert_int_equal(ASKED[c].ask(&m, 0, STATES, all, &size, NULL), first);
            if (memcmp(one, all, (size_t)(STATES * size) * sizeof *one) != 0) {
                print_error("%s, closures %d: other bits\n", ASKED[c].name, n);
                fail();
            }
        }
        free(m.q);
        kit_end(&kit);
    }
    assert_true(solved > CALLS * SOA_CLOSURE_KINDS * STATES);
}

/* A state that is not finite is named and gives NaN; the others keep their bits. */
static void one_fails(void **state)
{
    (void)state;
    static double good[MOST], y[MOST];
    closed_kit kit;
    many m;
    begin(&kit, SOA_CLOSE_SPHERICAL, &m);
    for (int c = 0; c < CALLS; c++) {
        int n = 0;
        double *number = &m.q[BAD * kit.nq];
        const double kept = *number;
        assert_int_equal(ASKED[c].ask(&m, 0, STATES, good, &n, &kit.error), SOA_OK);
        *number = NAN;
        soa_error_clear(&kit.error);
        const soa_status status = ASKED[c].ask(&m, 0, STATES, y, &n, &kit.error);
        *number = kept;
        if (strcmp(ASKED[c].name, "inverse dynamics") == 0) {
            continue; /* it has no accelerations to begin with */
        }
        assert_int_equal(status, SOA_E_NUMBER);
        assert_int_equal(kit.error.state, BAD);
        assert_memory_equal(kit.error.text, "state 2: ", 9);
        for (int i = 0; i < STATES * n; i++) {
            const bool bad = i / n == BAD && strcmp(ASKED[c].name, "project_velocity") != 0;
            if (bad ? !isnan(y[i]) : i / n != BAD && y[i] != good[i]) {
                print_error("%s[%d] = %g\n", ASKED[c].name, i, y[i]);
                fail();
            }
        }
    }
    free(m.q);
    kit_end(&kit);
}

/* Nothing is read or written for no states. */
static void no_states(void **state)
{
    (void)state;
    closed_kit kit;
    many m;
    begin(&kit, SOA_CLOSE_RIGID, &m);
    assert_int_equal(
        soa_closed_forward_dynamics(kit.set, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &kit.error), SOA_OK);
    assert_int_equal(soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 0, NULL, NULL, NULL, &kit.error), SOA_OK);
    free(m.q);
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(one_fails),
        cmocka_unit_test(no_states),
    };
    return cmocka_run_group_tests_name("many states", tests, NULL, NULL);
}
