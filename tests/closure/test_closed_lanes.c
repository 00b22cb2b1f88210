/* Closed forward dynamics with states in lanes: each state has the bits that it has alone, whatever happens to the others, and
 * states do come out in lanes. */
#include "closure/closure.h"
#include "closure/kinds.h"

enum { MOST_STATES = 27 };

/* States of a set, and what comes out. */
typedef struct batch {
    int states, nq, nv, rows, bodies;
    double *q, *v, *T, *f;
    double *vdot[2], *lambda[2]; /* one by one, and at once */
    soa_closed closed[2][MOST_STATES];
} batch;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void begin(const closed_kit *kit, int states, batch *b)
{
    *b = (batch){ .states = states, .nq = kit->nq, .nv = kit->nv, .rows = soa_closures_rows(kit->set) };
    for (int s = 0; s < kit->systems; s++) {
        b->bodies += soa_model_bodies(kit->model[s]);
    }
    b->q = numbers(states * b->nq), b->v = numbers(states * b->nv), b->T = numbers(states * b->nv);
    b->f = numbers(states * 6 * b->bodies);
    for (int i = 0; i < 2; i++) {
        b->vdot[i] = numbers(states * b->nv), b->lambda[i] = numbers(states * b->rows);
    }
}

static void end(batch *b)
{
    free(b->q), free(b->v), free(b->T), free(b->f);
    for (int i = 0; i < 2; i++) {
        free(b->vdot[i]), free(b->lambda[i]);
    }
}

static void random_states(closed_kit *kit, batch *b)
{
    for (int s = 0; s < b->states; s++) {
        kit_state(kit);
        memcpy(b->q + s * b->nq, kit->q, (size_t)b->nq * sizeof *b->q);
        memcpy(b->v + s * b->nv, kit->v, (size_t)b->nv * sizeof *b->q);
        memcpy(b->T + s * b->nv, kit->T, (size_t)b->nv * sizeof *b->q);
    }
    for (int i = 0; i < b->states * 6 * b->bodies; i++) {
        b->f[i] = some(kit);
    }
}

static soa_status ask(soa_closures *set, batch *b, int way, int first, int states, bool forces, soa_error *error)
{
    return soa_closed_forward_dynamics(set, states, b->q + first * b->nq, b->v + first * b->nv, b->T + first * b->nv,
        forces ? b->f + first * 6 * b->bodies : NULL, b->vdot[way] + first * b->nv, b->lambda[way] + first * b->rows,
        &b->closed[way][first], error);
}

/* The bits of all states, of their reports, and of the loads of all closures at the last one. */
static void same(soa_closures *set, batch *b, bool forces)
{
    soa_closure_load load[2][32];
    soa_error error[2];
    soa_status first = SOA_OK;
    memset(b->closed, 0, sizeof b->closed);
    memset(load, 0, sizeof load);
    const int ties = soa_closures_count(set) < 32 ? soa_closures_count(set) : 32, lanes = soa_closures_lanes(set);
    soa_error_clear(&error[0]);
    soa_error_clear(&error[1]);
    assert_int_equal(soa_closures_set_lanes(set, 1, NULL), SOA_OK);
    (void)ask(set, b, 0, 0, b->states, forces, NULL); /* afterwards the ranks are known, if some state asks for them */
    for (int s = 0; s < b->states; s++) {
        const soa_status status = ask(set, b, 0, s, 1, forces, first == SOA_OK ? &error[0] : NULL);
        first = first == SOA_OK ? status : first;
    }
    for (int i = 0; i < ties; i++) {
        (void)soa_closure_force(set, i, &load[0][i], NULL);
    }
    assert_int_equal(soa_closures_set_lanes(set, lanes, NULL), SOA_OK);
    assert_int_equal(ask(set, b, 1, 0, b->states, forces, &error[1]), first);
    for (int i = 0; i < ties; i++) {
        (void)soa_closure_force(set, i, &load[1][i], NULL);
    }
    assert_memory_equal(b->vdot[0], b->vdot[1], (size_t)(b->states * b->nv) * sizeof(double));
    if (b->rows > 0) {
        assert_memory_equal(b->lambda[0], b->lambda[1], (size_t)(b->states * b->rows) * sizeof(double));
    }
    assert_memory_equal(b->closed[0], b->closed[1], sizeof b->closed[0]);
    assert_memory_equal(load[0], load[1], sizeof load[0]);
    if (first != SOA_OK && b->states > 1) {
        assert_non_null(strstr(error[1].text, error[0].text));
    }
}

/* So many of all states come out in lanes, from the first on. */
static int solved_in_lanes(soa_closures *set, const batch *b)
{
    int solved = 0;
    for (int s = 0; s + set->states->lanes <= b->states; s += set->states->lanes) {
        const soa_closed_input in = {
            .q = b->q + s * b->nq, .v = b->v + s * b->nv, .T = b->T + s * b->nv, .vdot = b->vdot[1] + s * b->nv
        };
        const unsigned bits = set->states->solve(set, &in, set->states->lanes);
        for (int i = 0; i < set->states->lanes; i++) {
            solved += (int)(bits >> i & 1u);
        }
    }
    return solved;
}

/* All numbers of lanes and of states, also those that leave lanes idle. */
static void any_number(closed_kit *kit)
{
    for (int lanes = 1; lanes <= SOA_MAX_LANES; lanes *= 2) {
        if (soa_closures_set_lanes(kit->set, lanes, NULL) != SOA_OK) {
            continue;
        }
        assert_int_equal(soa_closures_lanes(kit->set), lanes);
        for (int states = 1; states <= MOST_STATES; states += states < 11 ? 1 : 5) {
            batch b;
            begin(kit, states, &b);
            random_states(kit, &b);
            same(kit->set, &b, states % 2 == 0);
            if (lanes > 1) {
                const int whole = states / lanes * lanes;
                assert_true(4 * solved_in_lanes(kit->set, &b) >= 3 * whole);
            }
            end(&b);
        }
    }
}

/* Six legs hold a platform: rows are solved in order at the platform. */
static void hexapod(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 5, .systems = 1 };
    OK(&kit, soa_model_builtin("hexapod", NULL, &kit.model[0], &kit.error));
    kit_begin(&kit, NULL);
    any_number(&kit);
    kit_end(&kit);
}

/* Two arms hold each other: of many states some solve a few rows by size at the tip and the others at the base. */
static void joined_arms(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 6, .systems = 2 };
    OK(&kit, soa_model_builtin("arm7", NULL, &kit.model[0], &kit.error));
    OK(&kit, soa_model_builtin("arm7", NULL, &kit.model[1], &kit.error));
    kit_begin(&kit, NULL);
    const int tip = soa_model_links(kit.model[0]) - 1;
    const soa_closure grip = soa_closure_default("grip", SOA_CLOSE_RIGID, tip, tip);
    OK(&kit, soa_closure_add(kit.set, &grip, 0, 1, NULL, &kit.error));
    any_number(&kit);
    kit_end(&kit);
}

/* Random trees, several systems, every kind of closure, couplings; with states that fail: numbers that are not finite, and
 * the neutral configuration at rest, where rows may depend on each other. */
static void random_trees(void **state)
{
    (void)state;
    int solved = 0;
    for (int n = 0; n < 6 * SOA_CLOSURE_KINDS; n++) {
        closed_kit kit = { .seed = 900ull + (unsigned)n, .systems = 1 + n % 3 };
        batch b;
        for (int s = 0; s < kit.systems; s++) {
            make_tree(&kit, s, 3 + n % 7);
        }
        kit_begin(&kit, NULL);
        for (int i = 0; i <= n % 4; i++) {
            (void)add_some(&kit, (soa_closure_kind)((n + i) % SOA_CLOSURE_KINDS));
        }
        if (n % 5 == 0) {
            (void)couple_some(&kit);
        }
        begin(&kit, MOST_STATES, &b);
        random_states(&kit, &b);
        if (soa_closures_lanes(kit.set) > 1) {
            solved += solved_in_lanes(kit.set, &b);
        }
        same(kit.set, &b, n % 2 == 0);
        double *q = b.q + 3 * b.nq;
        for (int s = 0; s < kit.systems; q += soa_model_nq(kit.model[s]), s++) {
            soa_model_neutral(kit.model[s], q);
        }
        memset(b.v + 3 * b.nv, 0, (size_t)b.nv * sizeof(double));
        memset(b.T + 3 * b.nv, 0, (size_t)b.nv * sizeof(double));
        b.v[5 * b.nv] = NAN;
        b.T[14 * b.nv + b.nv - 1] = INFINITY;
        b.q[20 * b.nq] = 1e300;
        same(kit.set, &b, n % 2 == 1);
        end(&b);
        kit_end(&kit);
    }
    print_message("%d states came out in lanes\n", solved);
    assert_true(solved == 0 || solved > 3 * SOA_CLOSURE_KINDS * MOST_STATES);
}

/* vdot may be the array of T. */
static void in_place(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 8, .systems = 1 };
    batch b;
    OK(&kit, soa_model_builtin("hexapod", NULL, &kit.model[0], &kit.error));
    kit_begin(&kit, NULL);
    begin(&kit, 13, &b);
    random_states(&kit, &b);
    OK(&kit, soa_closed_forward_dynamics(kit.set, 13, b.q, b.v, b.T, NULL, b.vdot[0], NULL, NULL, &kit.error));
    OK(&kit, soa_closed_forward_dynamics(kit.set, 13, b.q, b.v, b.T, NULL, b.T, NULL, NULL, &kit.error));
    assert_memory_equal(b.T, b.vdot[0], (size_t)(13 * b.nv) * sizeof(double));
    end(&b);
    kit_end(&kit);
}

static void refused_lanes(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 9, .systems = 1 };
    OK(&kit, soa_model_builtin("hexapod", NULL, &kit.model[0], &kit.error));
    kit_begin(&kit, NULL);
    const int refused[] = { 0, -1, 3, 16 };
    for (int i = 0; i < 4; i++) {
        const int lanes = soa_closures_lanes(kit.set);
        assert_int_equal(soa_closures_set_lanes(kit.set, refused[i], &kit.error), SOA_E_UNSUPPORTED);
        assert_int_equal(soa_closures_lanes(kit.set), lanes);
    }
    assert_int_equal(soa_closures_set_lanes(NULL, 1, &kit.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_closures_lanes(NULL), 0);
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hexapod),
        cmocka_unit_test(joined_arms),
        cmocka_unit_test(random_trees),
        cmocka_unit_test(in_place),
        cmocka_unit_test(refused_lanes),
    };
    return cmocka_run_group_tests_name("closed forward dynamics in lanes", tests, NULL, NULL);
}
