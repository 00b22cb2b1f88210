/* contest.c - one robot: first every contestant must agree with soa, then those that do are timed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "convention.h"
#include "soa/closure.h"

enum { MOST_TRIES = 20 };

#define WORST_CONDITION 1e6

/* ---- outputs --------------------------------------------------------------------------- */

const char *bench_algorithm_text(bench_algorithm algorithm)
{
    static const char *const text[] = {
#define BENCH_TEXT(name, words) words,
        BENCH_ALGORITHM_LIST(BENCH_TEXT)
#undef BENCH_TEXT
    };
    return text[algorithm];
}

size_t bench_outputs(const bench_robot *robot, bench_algorithm algorithm)
{
    const size_t nv = (size_t)robot->nv;
    switch (algorithm) {
    case BENCH_INVERSE_DYNAMICS:
    case BENCH_FORWARD_DYNAMICS:
    case BENCH_CLOSED_DYNAMICS:
        return nv;
    case BENCH_MASS_MATRIX:
    case BENCH_MASS_INVERSE:
    case BENCH_CORIOLIS_MATRIX:
        return nv * nv;
    case BENCH_INVERSE_DERIVATIVES:
    case BENCH_FORWARD_DERIVATIVES:
        return 3 * nv * nv;
    case BENCH_KINEMATICS:
        return 12 * (size_t)robot->bodies;
    case BENCH_JACOBIAN:
        return 6 * nv;
    case BENCH_OPERATIONAL_INERTIA_2:
        return 12 * 12;
    case BENCH_OPERATIONAL_INERTIA_4:
        return 24 * 24;
    default:
        return 36;
    }
}

size_t bench_most_outputs(const bench_robot *robot)
{
    size_t most = 0;
    for (int a = 0; a < BENCH_ALGORITHMS; a++) {
        const size_t n = bench_outputs(robot, (bench_algorithm)a);
        most = n > most ? n : most;
    }
    return most;
}

/* A robot with closures is there for them, and as the tree that it is without: the rest is compared on trees. */
static bool enters(const bench_robot *robot, bench_algorithm algorithm)
{
    return robot->closures > 0 ? algorithm == BENCH_FORWARD_DYNAMICS || algorithm == BENCH_CLOSED_DYNAMICS
                               : algorithm != BENCH_CLOSED_DYNAMICS;
}

/* ---- states ---------------------------------------------------------------------------- */

typedef struct block {
    double *q, *v, *vdot, *T;
} block;

static block block_new(const bench_robot *robot, int count)
{
    const size_t n = (size_t)count, nq = (size_t)robot->nq, nv = (size_t)robot->nv;
    block b = { .q = malloc(n * (nq + 3 * nv) * sizeof(double)) };
    if (b.q == NULL) {
        abort();
    }
    b.v = b.q + n * nq;
    b.vdot = b.v + n * nv;
    b.T = b.vdot + n * nv;
    return b;
}

static bench_states states_of(const block *b, int count)
{
    return (bench_states){ count, b->q, b->v, b->vdot, b->T };
}

/* Whether the configuration and the velocity can be moved to where the closures hold, away from singularities:
 * libraries can only agree to so many digits as the equations have. */
static bool close_loops(soa_closures *set, const double *T, double *q, double *v, double *vdot)
{
    soa_closed closed;
    return soa_closure_project(set, SOA_METRIC_MASS, 0.0, 1, q, v, NULL, NULL) == SOA_OK &&
           soa_closed_forward_dynamics(set, 1, q, v, T, NULL, vdot, NULL, &closed, NULL) == SOA_OK &&
           closed.rank == closed.rows && closed.condition < WORST_CONDITION;
}

/* Of a robot with closures: states that satisfy them. */
static void close_states(const bench_robot *robot, int count, unsigned long long *seed, const block *b)
{
    const size_t nq = (size_t)robot->nq, nv = (size_t)robot->nv;
    soa_closures *set;
    double *vdot = malloc(nv * sizeof *vdot);
    if (vdot == NULL || soa_closures_new(1, &robot->model, NULL, NULL, &set, NULL) != SOA_OK) {
        abort();
    }
    for (int s = 0, tries = 0; s < count; tries++) {
        double *q = b->q + (size_t)s * nq, *v = b->v + (size_t)s * nv;
        if (close_loops(set, b->T + (size_t)s * nv, q, v, vdot)) {
            s++;
        } else if (tries < MOST_TRIES * count) {
            soa_random_configuration(robot->model, seed, q);
        } else {
            fprintf(stderr, "bench_peers: %s: no states that satisfy the closures were found\n", robot->name);
            exit(1);
        }
    }
    soa_closures_free(set);
    free(vdot);
}

static block random_states(const bench_robot *robot, int count)
{
    unsigned long long seed = 1;
    const block b = block_new(robot, count);
    for (int s = 0; s < count; s++) {
        soa_random_configuration(robot->model, &seed, b.q + (size_t)s * (size_t)robot->nq);
    }
    for (size_t i = 0; i < 3 * (size_t)count * (size_t)robot->nv; i++) {
        b.v[i] = soa_model_random_number(&seed);
    }
    if (robot->closures > 0) {
        close_states(robot, count, &seed, &b);
    }
    return b;
}

/* ---- a contestant ---------------------------------------------------------------------- */

typedef struct contestant {
    bench_entry entry;
    int *order;   /* of soa's v in the peer's */
    block states; /* as the peer measures them */
} contestant;

typedef struct contest {
    const bench_robot *robot;
    block states;
    bench_map map;
    double *expected, *result;
    contestant who[BENCH_MOST_PEERS];
} contest;

static void set_map(contest *c, const contestant *who, int s)
{
    const size_t nq = (size_t)c->robot->nq, nv = (size_t)c->robot->nv, at = (size_t)s;
    bench_map_set(&c->map, c->robot, who->entry.peer, who->order, c->states.q + at * nq, c->states.v + at * nv);
}

static bool is_soa(const bench_peer_info *peer)
{
    return peer == bench_soa() || peer == bench_soa_batch();
}

/* The states as the contestant measures them. */
static void convert_states(contest *c, contestant *who)
{
    const size_t nq = (size_t)c->robot->nq, nv = (size_t)c->robot->nv;
    const int n = who->entry.states;
    who->states = block_new(c->robot, n);
    for (int s = 0; s < n; s++) {
        const size_t at = (size_t)s * nv;
        for (size_t i = 0; i < nq; i++) {
            const size_t place = is_soa(who->entry.peer) ? i : (size_t)c->robot->q_place[i];
            who->states.q[(size_t)s * nq + place] = c->states.q[(size_t)s * nq + i];
        }
        set_map(c, who, s);
        bench_map_velocity(&c->map, c->states.v + at, who->states.v + at);
        bench_map_acceleration(&c->map, c->states.vdot + at, who->states.vdot + at);
        bench_map_force(&c->map, c->states.T + at, who->states.T + at);
    }
}

/* With the order of soa's v in the peer's. */
static void *open_peer(const bench_robot *robot, const bench_peer_info *peer, int *order)
{
    int *of_bodies = malloc((size_t)robot->nv * sizeof *of_bodies);
    if (of_bodies == NULL) {
        abort();
    }
    for (int i = 0; i < robot->nv; i++) {
        of_bodies[i] = i;
    }
    void *self = peer->open(robot, of_bodies);
    for (int i = 0; i < robot->nv; i++) {
        order[i] = is_soa(peer) ? i : of_bodies[robot->v_place[i]];
    }
    free(of_bodies);
    return self;
}

static void enter(contest *c, contestant *who, const bench_peer_info *peer)
{
    const int n = peer == bench_soa_batch() ? BENCH_BATCH_STATES : BENCH_STATES;
    *who = (contestant){ .entry = { .peer = peer, .states = n } };
    who->order = malloc((size_t)c->robot->nv * sizeof *who->order);
    who->entry.ns = malloc(2 * BENCH_MOST_ROUNDS * sizeof(double));
    if (who->order == NULL || who->entry.ns == NULL) {
        abort();
    }
    who->entry.self = open_peer(c->robot, peer, who->order);
    if (who->entry.self != NULL) {
        convert_states(c, who);
        const bench_states states = states_of(&who->states, n);
        peer->set(who->entry.self, &states);
    }
}

static void leave(contestant *who)
{
    if (who->entry.self != NULL) {
        who->entry.peer->close(who->entry.self);
    }
    free(who->states.q);
    free(who->entry.ns);
    free(who->order);
}

/* ---- agreement ------------------------------------------------------------------------- */

/* Infinite where a number is not finite. */
static double difference(size_t n, const double *x, const double *y)
{
    double worst = 0.0, largest = 1.0;
    for (size_t i = 0; i < n; i++) {
        const double d = fabs(x[i] - y[i]);
        worst = d <= worst ? worst : isfinite(d) ? d : INFINITY;
        largest = fmax(largest, fabs(y[i]));
    }
    return worst / largest;
}

static double worst_difference(contest *c, contestant *who, bench_algorithm algorithm)
{
    const bench_entry *soa = &c->who[BENCH_SOA].entry, *e = &who->entry;
    const size_t n = bench_outputs(c->robot, algorithm);
    double worst = 0.0;
    for (int s = 0; s < BENCH_STATES; s++) {
        soa->peer->run(soa->self, algorithm, s, 1);
        soa->peer->get(soa->self, algorithm, c->expected);
        e->peer->run(e->self, algorithm, s, 1);
        e->peer->get(e->self, algorithm, c->result);
        set_map(c, who, s);
        bench_map_result(&c->map, algorithm, c->result);
        worst = fmax(worst, difference(n, c->result, c->expected));
    }
    return worst;
}

static void check(contest *c, contestant *who, bench_algorithm algorithm, bench_cell *cell)
{
    *cell = (bench_cell){ .verdict = BENCH_ABSENT };
    if (enters(c->robot, algorithm) && who->entry.self != NULL &&
        (who->entry.peer->algorithms >> algorithm & 1u) != 0) {
        cell->difference = worst_difference(c, who, algorithm);
        cell->verdict = cell->difference <= BENCH_AGREEMENT ? BENCH_TIMED : BENCH_DIFFERS;
    }
}

/* ---- contest --------------------------------------------------------------------------- */

/* Those of the row that agree, each with its cell; returns how many. */
static int list_entries(const contest *c, int peers, bench_row *row, bench_entry *entry, bench_cell **cell)
{
    int n = 0;
    for (int p = 0; p < peers; p++) {
        if (row->cell[p].verdict == BENCH_TIMED) {
            entry[n] = c->who[p].entry;
            entry[n].algorithm = row->algorithm;
            cell[n++] = &row->cell[p];
        }
    }
    return n;
}

/* The same contestants without closures, behind them: in the same rounds. */
static void add_open(int n, bench_entry *entry)
{
    for (int i = 0; i < n; i++) {
        entry[n + i] = entry[i];
        entry[n + i].algorithm = BENCH_FORWARD_DYNAMICS;
        entry[n + i].ns += BENCH_MOST_ROUNDS;
    }
}

static void time_row(contest *c, int peers, double seconds, bench_row *row)
{
    static double scratch[BENCH_MOST_ROUNDS];
    bench_entry entry[2 * BENCH_MOST_PEERS];
    bench_cell *cell[BENCH_MOST_PEERS];
    const int n = list_entries(c, peers, row, entry, cell);
    const bool batch = row->cell[BENCH_BATCH].verdict == BENCH_TIMED; /* then it is the second */
    const bool closed = row->algorithm == BENCH_CLOSED_DYNAMICS;
    if (closed) {
        add_open(n, entry);
    }
    const int rounds = bench_rounds(closed ? 2 * n : n, entry, seconds);
    for (int i = 0; i < n; i++) {
        cell[i]->ratio = bench_median_ratio(rounds, entry[i].ns, entry[0].ns, scratch);
        cell[i]->batch_ratio = batch ? bench_median_ratio(rounds, entry[i].ns, entry[1].ns, scratch) : 0.0;
        cell[i]->open_ratio = closed ? bench_median_ratio(rounds, entry[i].ns, entry[n + i].ns, scratch) : 0.0;
    }
    for (int i = 0; i < n; i++) {
        cell[i]->ns = bench_median(rounds, entry[i].ns);
    }
}

void bench_contest(const bench_run *run, const bench_robot *robot, bench_table *table)
{
    contest c = { .robot = robot, .states = random_states(robot, BENCH_BATCH_STATES) };
    const size_t most = bench_most_outputs(robot);
    c.expected = malloc(2 * most * sizeof(double));
    if (c.expected == NULL || !bench_map_new(robot->nv, &c.map)) {
        abort();
    }
    c.result = c.expected + most;
    for (int p = 0; p < run->peers; p++) {
        enter(&c, &c.who[p], run->peer[p]);
    }
    for (int a = 0; a < BENCH_ALGORITHMS; a++) {
        bench_row *row = &table->row[a];
        row->algorithm = (bench_algorithm)a;
        for (int p = 0; p < run->peers; p++) {
            check(&c, &c.who[p], row->algorithm, &row->cell[p]);
        }
        if (row->cell[BENCH_SOA].verdict == BENCH_TIMED) {
            time_row(&c, run->peers, run->seconds, row);
        }
    }
    for (int p = 0; p < run->peers; p++) {
        leave(&c.who[p]);
    }
    bench_map_free(&c.map);
    free(c.expected);
    free(c.states.q);
}
