/* Every function of soa/closure.h that computes, and what stands on it, with numbers that are not finite or too large. The contract:
 * success means that every number of the result is finite; an input that is not finite is SOA_E_NUMBER; an error says
 * something; nothing is written behind a result. */
#include "closure/kinds.h"
#include "closure/linkage.h"
#include "soa/linear.h"

typedef enum input { Q, V, T, F, VDOT, LAMBDA, WRENCH, INPUTS } input;

enum { POINTS = 2, MOST_RESULTS = 16 };

#define FENCE 1.5 /* stands behind each result */

typedef struct scene {
    closed_kit kit;
    const char *name;
    double *in[INPUTS], *kept[INPUTS], *out;
    size_t n[INPUTS], most, outs; /* numbers of inputs, room for results, results written */
    soa_closed_point point[POINTS];
    soa_partition *partition;
    double *fence[MOST_RESULTS];
    int fences, findings;
} scene;

/* Room for n numbers of a result. */
static double *take(scene *s, size_t n)
{
    double *at = s->out + s->outs;
    assert_true(s->outs + n < s->most && s->fences < MOST_RESULTS);
    s->outs += n + 1;
    s->fence[s->fences++] = at + n;
    at[n] = FENCE;
    return at;
}

#define ROWS ((size_t)soa_closures_rows(s->kit.set))
#define NV   ((size_t)s->kit.nv)

/* ---- the functions --------------------------------------------------------------------------------- */

static soa_status violation(scene *s)
{
    double *position = take(s, ROWS), *velocity = take(s, ROWS);
    return soa_closure_violation(s->kit.set, 1, s->in[Q], s->in[V], position, velocity, &s->kit.error);
}

static soa_status jacobian(scene *s)
{
    return soa_closure_jacobian(s->kit.set, 1, s->in[Q], take(s, ROWS * NV), &s->kit.error);
}

static soa_status jacobian_rate(scene *s)
{
    return soa_closure_jacobian_rate(s->kit.set, 1, s->in[Q], s->in[V], take(s, ROWS * NV), &s->kit.error);
}

static soa_status bias(scene *s)
{
    return soa_closure_bias(s->kit.set, 1, s->in[Q], s->in[V], take(s, ROWS), &s->kit.error);
}

static soa_status forward(scene *s)
{
    soa_closed closed = { 0 };
    double *vdot = take(s, NV);
    const soa_status status = soa_closed_forward_dynamics(
        s->kit.set, 1, s->in[Q], s->in[V], s->in[T], s->in[F], vdot, NULL, &closed, &s->kit.error);
    double *lambda = take(s, ROWS), *loads = take(s, 6 * (size_t)soa_closures_count(s->kit.set));
    for (int i = 0; status == SOA_OK && i < soa_closures_count(s->kit.set); i++) {
        soa_closure_load load = { .contact = false };
        soa_error ignored;
        if (soa_closure_force(s->kit.set, i, &load, &ignored) == SOA_OK) {
            memcpy(loads + 6 * i, load.wrench_on_a, sizeof load.wrench_on_a);
        }
    }
    if (status == SOA_OK) {
        memcpy(lambda, soa_closure_multipliers(s->kit.set), ROWS * sizeof *lambda);
    }
    return status;
}

static soa_status project(scene *s)
{
    double *q = take(s, (size_t)s->kit.nq), *v = take(s, NV);
    memcpy(q, s->in[Q], (size_t)s->kit.nq * sizeof *q);
    memcpy(v, s->in[V], NV * sizeof *v);
    return soa_closure_project(s->kit.set, SOA_METRIC_MASS, 1e-9, 1, q, v, NULL, &s->kit.error);
}

static soa_status project_identity(scene *s)
{
    double *v = take(s, NV);
    memcpy(v, s->in[V], NV * sizeof *v);
    return soa_closure_project_velocity(s->kit.set, SOA_METRIC_IDENTITY, 1, s->in[Q], v, NULL, &s->kit.error);
}

static soa_status inverse(scene *s)
{
    return soa_closed_inverse_dynamics(
        s->kit.set, 1, s->in[Q], s->in[V], s->in[VDOT], s->in[F], NULL, take(s, NV), NULL, &s->kit.error);
}

static soa_status split(scene *s)
{
    double *motion = take(s, ROWS), *internal = take(s, ROWS), *wrench = take(s, 6);
    return soa_grasp_split(s->kit.set, s->point[0].system, s->point[0].point.link, 1, s->in[Q], NULL, s->in[LAMBDA],
        motion, internal, wrench, &s->kit.error);
}

static soa_status balance(scene *s)
{
    return soa_grasp_balance(s->kit.set, s->point[0].system, s->point[0].point.link, 1, s->in[Q], NULL, s->in[WRENCH],
        take(s, ROWS), &s->kit.error);
}

static soa_status force_closure(scene *s)
{
    bool closed = false;
    return soa_force_closure(
        s->kit.set, s->point[0].system, s->point[0].point.link, 8, 1, s->in[Q], &closed, take(s, ROWS), &s->kit.error);
}

static soa_status operational(scene *s)
{
    double *lambda = take(s, 36 * POINTS * POINTS);
    return soa_closed_operational_inertia(s->kit.set, POINTS, s->point, 1, s->in[Q], lambda, NULL, &s->kit.error);
}

static soa_status partition(scene *s)
{
    soa_status status = SOA_OK;
    double *vdot = take(s, NV), *q = s->in[Q], *v = s->in[V], *torque = s->in[T], *f = s->in[F];
    for (int i = 0; status == SOA_OK && i < s->kit.systems; i++) {
        status = soa_partition_system(s->partition, i, q, v, torque, f, &s->kit.error);
        q += soa_model_nq(s->kit.model[i]), v += soa_model_nv(s->kit.model[i]);
        torque += soa_model_nv(s->kit.model[i]), f += 6 * soa_model_bodies(s->kit.model[i]);
    }
    status = status == SOA_OK ? soa_partition_closures(s->partition, NULL, &s->kit.error) : status;
    for (int i = 0; status == SOA_OK && i < s->kit.systems; i++) {
        status = soa_partition_correct(s->partition, i, vdot, &s->kit.error);
        vdot += soa_model_nv(s->kit.model[i]);
    }
    return status;
}

static soa_status derivatives(scene *s)
{
    const soa_closed_derivatives out = { .vdot_q = take(s, NV * NV),
        .vdot_v = take(s, NV * NV),
        .vdot_T = take(s, NV * NV),
        .lambda_q = take(s, ROWS * NV),
        .lambda_v = take(s, ROWS * NV),
        .lambda_T = take(s, ROWS * NV),
        .vdot_g = take(s, 3 * NV),
        .lambda_g = take(s, 3 * ROWS) };
    return soa_closed_forward_dynamics_derivatives(
        s->kit.set, 1, s->in[Q], s->in[V], s->in[T], s->in[F], &out, &s->kit.error);
}

static soa_status linear(scene *s)
{
    double *A = take(s, 4 * NV * NV), *B = take(s, 2 * NV * NV), *C = take(s, 6 * NV * NV), *D = take(s, 3 * NV * NV);
    return soa_closed_linear_model(s->kit.set, 1, s->in[Q], s->in[V], s->in[T], s->in[F], A, B, C, D, &s->kit.error);
}

#define READS(i) (1u << (i))
static const struct function {
    const char *name;
    soa_status (*run)(scene *s);
    unsigned reads;
} FUNCTIONS[] = {
    { "closure_violation", violation, READS(Q) | READS(V) },
    { "closure_jacobian", jacobian, READS(Q) },
    { "closure_jacobian_rate", jacobian_rate, READS(Q) | READS(V) },
    { "closure_bias", bias, READS(Q) | READS(V) },
    { "closed_forward_dynamics", forward, READS(Q) | READS(V) | READS(T) | READS(F) },
    { "closure_project", project, READS(Q) | READS(V) },
    { "closure_project_velocity", project_identity, READS(Q) | READS(V) },
    { "closed_inverse_dynamics", inverse, READS(Q) | READS(V) | READS(F) | READS(VDOT) },
    { "grasp_split", split, READS(Q) | READS(LAMBDA) },
    { "grasp_balance", balance, READS(Q) | READS(WRENCH) },
    { "force_closure", force_closure, READS(Q) },
    { "closed_operational_inertia", operational, READS(Q) },
    { "partition", partition, READS(Q) | READS(V) | READS(T) | READS(F) },
    { "closed_forward_dynamics_derivatives", derivatives, READS(Q) | READS(V) | READS(T) | READS(F) },
    { "closed_linear_model", linear, READS(Q) | READS(V) | READS(T) | READS(F) },
};

/* ---- the sets ---------------------------------------------------------------------------------------- */

static void scene_begin(scene *s, const char *name)
{
    closed_kit *kit = &s->kit;
    s->name = name;
    kit_state(kit);
    const soa_point point = { soa_model_links(kit->model[0]) - 1, soa_pose_identity() };
    for (int i = 0; i < POINTS; i++) {
        s->point[i] = (soa_closed_point){ 0, point };
    }
    int bodies = 0;
    for (int i = 0; i < kit->systems; i++) {
        bodies += soa_model_bodies(kit->model[i]);
    }
    const size_t numbers[INPUTS] = { (size_t)kit->nq, NV, NV, 6 * (size_t)bodies, NV, ROWS, 6 };
    for (int i = 0; i < INPUTS; i++) {
        s->n[i] = numbers[i];
        s->in[i] = malloc((numbers[i] + 1) * sizeof(double));
        s->kept[i] = malloc((numbers[i] + 1) * sizeof(double));
        for (size_t k = 0; k < numbers[i]; k++) {
            s->kept[i][k] = i == Q ? kit->q[k] : some(kit);
        }
        memcpy(s->in[i], s->kept[i], numbers[i] * sizeof(double));
    }
    s->most =
        36 * POINTS * POINTS + 15 * NV * NV + 4 * ROWS * (NV + 2) + 6 * (size_t)soa_closures_count(kit->set) + 100;
    s->out = malloc(s->most * sizeof *s->out);
    OK(kit, soa_closures_reserve_derivatives(kit->set, &kit->error));
    soa_error ignored; /* of couplings there is no partition */
    (void)soa_partition_new(kit->set, &s->partition, &ignored);
    (void)soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, s->kept[VDOT], NULL, NULL, &ignored);
}

static void scene_end(scene *s)
{
    soa_partition_free(s->partition);
    for (int i = 0; i < INPUTS; i++) {
        free(s->in[i]);
        free(s->kept[i]);
    }
    free(s->out);
    kit_end(&s->kit);
}

static void four_bar(scene *s)
{
    *s = (scene){ .kit = { .seed = 3, .systems = 1 } };
    const double bars[3] = { 1.0, 1.2, 0.9 };
    s->kit.model[0] = linkage(&s->kit, 3, bars, 1.5);
    kit_begin(&s->kit, NULL);
    scene_begin(s, "four-bar");
}

static void hexapod(scene *s)
{
    *s = (scene){ .kit = { .seed = 4, .systems = 1 } };
    OK(&s->kit, soa_model_builtin("hexapod", NULL, &s->kit.model[0], &s->kit.error));
    kit_begin(&s->kit, NULL);
    scene_begin(s, "hexapod");
}

/* One closure of a kind between two trees, and with it the free motion of a ball on a slider. */
static void of_kind(scene *s, soa_closure_kind kind)
{
    *s = (scene){ .kit = { .seed = 11 + (unsigned long long)kind, .systems = 2 } };
    make_tree(&s->kit, 0, 5);
    make_tree(&s->kit, 1, 4);
    kit_begin(&s->kit, NULL);
    const int closure = add_some(&s->kit, kind);
    assert_true(closure >= 0);
    move_some(&s->kit, closure);
    scene_begin(s, soa_closure_kind_text(kind));
    const soa_closure *c = soa_closure_get(s->kit.set, closure);
    s->point[0].point.link = c->b == SOA_WORLD ? c->a : s->point[0].point.link;
}

static void coupled(scene *s)
{
    *s = (scene){ .kit = { .seed = 8, .systems = 1 } };
    make_tree(&s->kit, 0, 9);
    kit_begin(&s->kit, NULL);
    assert_true(couple_some(&s->kit));
    scene_begin(s, "coupled tree");
}

/* ---- the contract -------------------------------------------------------------------------------------- */

static soa_status run(scene *s, const struct function *f, const char *what)
{
    soa_error_clear(&s->kit.error);
    s->outs = 0;
    s->fences = 0;
    memset(s->out, 0, s->most * sizeof *s->out);
    const soa_status status = f->run(s);
    bool finite = true;
    for (size_t i = 0; i < s->outs; i++) {
        finite = finite && isfinite(s->out[i]);
    }
    if (status == SOA_OK ? !finite : s->kit.error.text[0] == '\0') {
        print_error("soa_%s on %s, %s: %s\n", f->name, s->name, what,
            status == SOA_OK ? "success with numbers that are not finite" : "an error without a text");
        s->findings++;
    }
    for (int i = 0; i < s->fences; i++) {
        if (!(*s->fence[i] == FENCE)) {
            print_error("soa_%s on %s, %s: result %d is written too far\n", f->name, s->name, what, i);
            s->findings++;
        }
    }
    return status;
}

static void check_function(scene *s, const struct function *f)
{
    char what[80];
    const soa_status usual = run(s, f, "as it is");
    if (usual == SOA_E_ARGUMENT || usual == SOA_E_UNSUPPORTED) { /* no partition of couplings */
        return;
    }
    for (int i = 0; i < INPUTS; i++) {
        for (size_t k = 0; (f->reads & READS(i)) && k < s->n[i]; k++) {
            s->in[i][k] = k % 3 == 0 ? NAN : k % 3 == 1 ? INFINITY : -INFINITY;
            (void)snprintf(what, sizeof what, "number %zu of input %d not finite", k, i);
            if (run(s, f, what) != SOA_E_NUMBER && s->findings++ < 20) {
                print_error("soa_%s on %s, %s: '%s'\n", f->name, s->name, what, s->kit.error.text);
            }
            s->in[i][k] = s->kept[i][k];
        }
    }
    static const double scale[] = { 1e20, 1e80, 1e155, 1e160, 1e300, 1e-160, 1e-310 };
    for (int i = 0; i <= INPUTS; i++) { /* each input by itself, then all but q */
        for (size_t z = 0; z < sizeof scale / sizeof *scale; z++) {
            for (int j = 0; j < INPUTS; j++) {
                for (size_t k = 0; (i == INPUTS ? j != Q : j == i) && k < s->n[j]; k++) {
                    s->in[j][k] *= scale[z];
                }
            }
            (void)snprintf(what, sizeof what, "input %d times %g", i, scale[z]);
            const soa_status status = run(s, f, what);
            if (i != Q && !(f->reads & READS(VDOT)) && scale[z] < 1.0 && usual == SOA_OK && status != SOA_OK) {
                print_error("soa_%s on %s, %s is refused: %s\n", f->name, s->name, what, s->kit.error.text);
                s->findings++;
            }
            for (int j = 0; j < INPUTS; j++) {
                memcpy(s->in[j], s->kept[j], s->n[j] * sizeof(double));
            }
        }
    }
    if (run(s, f, "as it was") != usual) {
        print_error("soa_%s on %s: odd numbers leave traces\n", f->name, s->name);
        s->findings++;
    }
}

static void check_scene(scene *s)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        check_function(s, &FUNCTIONS[i]);
    }
    const int findings = s->findings;
    scene_end(s);
    assert_int_equal(findings, 0);
}

static void loops(void **state)
{
    (void)state;
    scene s;
    four_bar(&s);
    check_scene(&s);
    hexapod(&s);
    check_scene(&s);
    coupled(&s);
    check_scene(&s);
}

static void every_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < SOA_CLOSURE_KINDS; kind++) {
        scene s;
        of_kind(&s, (soa_closure_kind)kind);
        check_scene(&s);
    }
}

/* ---- arms that hold an object --------------------------------------------------------------------------- */

/* Results of the grasp, finite or refused: x holds q, v, T, the pose and the velocity of the object. */
static soa_status grasp_with(const soa_model *m, soa_workspace *w, const double *x, soa_grasp_method method, double *y)
{
    enum { TIPS = 2 };
    const int nq = soa_model_nq(m), nv = soa_model_nv(m);
    const soa_point tip[TIPS] = { { 7, soa_pose_identity() }, { 14, soa_pose_identity() } };
    soa_object object = { .inertia = { 2.0, { 0.0, 0.0, 0.1 }, { 0.1, 0.0, 0.0, 0.1, 0.0, 0.1 } } };
    const soa_grasp grasp = { .tips = TIPS, .tip = tip, .object = &object };
    assert_int_equal(soa_workspace_reserve_grasp(w, TIPS, NULL), SOA_OK);
    object.pose = soa_pose_identity();
    memcpy(object.pose.position, x + nq + 2 * nv, 3 * sizeof *x);
    memcpy(object.velocity, x + nq + 2 * nv + 3, 6 * sizeof *x);
    const soa_grasp_motion motion = { .vdot = y, .contact = y + nv, .acceleration = y + nv + 6 * TIPS };
    soa_error error;
    soa_error_clear(&error);
    const soa_status status =
        soa_grasp_forward_dynamics(m, w, method, &grasp, 1, x, x + nq, x + nq + nv, &motion, &error);
    for (int i = 0; status == SOA_OK && i < nv + 6 * TIPS + 6; i++) {
        assert_true(isfinite(y[i]));
    }
    assert_true(status == SOA_OK || error.text[0] != '\0');
    return status;
}

static void arms(void **state)
{
    (void)state;
    soa_model *m = NULL;
    soa_workspace *w = NULL;
    soa_error error;
    unsigned long long seed = 9;
    double x[128], y[64];
    assert_int_equal(soa_model_builtin("dual-arm", NULL, &m, &error), SOA_OK);
    assert_int_equal(soa_workspace_new(m, NULL, &w, &error), SOA_OK);
    assert_int_equal(soa_workspace_reserve(w, 2, &error), SOA_OK);
    const int n = soa_model_nq(m) + 2 * soa_model_nv(m) + 9;
    assert_true(n <= 128 && soa_model_nv(m) < 40);
    for (int i = 0; i < n; i++) {
        x[i] = soa_model_random_number(&seed);
    }
    for (int method = SOA_RCCFD1; method <= SOA_RCCFD3; method++) {
        assert_int_equal(grasp_with(m, w, x, (soa_grasp_method)method, y), SOA_OK);
        for (int i = 0; i < n; i++) {
            static const double odd[] = { NAN, INFINITY, 1e80, 1e160, 1e300 };
            const double kept = x[i];
            for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
                x[i] = odd[k];
                const soa_status status = grasp_with(m, w, x, (soa_grasp_method)method, y);
                assert_true(isfinite(odd[k]) || status == SOA_E_NUMBER);
            }
            x[i] = kept;
        }
    }
    soa_workspace_free(w);
    soa_model_free(m);
}

/* ---- the exponential ------------------------------------------------------------------------------------ */

static void exponentials(void **state)
{
    (void)state;
    enum { N = 3, M = 2 };
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e155, 800.0, -800.0, 1e3, 1e-310 };
    double A[N * N], B[N * M], E[N * N], Ad[N * N], Bd[N * M];
    soa_error error;
    soa_linear_workspace *w = NULL;
    assert_int_equal(soa_linear_workspace_new(N + M, NULL, &w, &error), SOA_OK);
    for (size_t z = 0; z < sizeof odd / sizeof *odd; z++) {
        for (int at = 0; at < N * N + N * M; at++) {
            for (int i = 0; i < N * N + N * M; i++) {
                *(i < N * N ? &A[i] : &B[i - N * N]) = i == at ? odd[z] : 0.1 * i - 0.4;
            }
            const soa_status once = soa_linear_exponential(w, N, A, E, &error);
            const soa_status steps = soa_linear_discrete(w, N, M, A, B, 0.1, Ad, Bd, &error);
            for (int i = 0; i < N * N; i++) {
                assert_true(once == SOA_OK ? isfinite(E[i]) : once == SOA_E_NUMBER && isnan(E[i]));
                assert_true(steps == SOA_OK ? isfinite(Ad[i]) : steps == SOA_E_NUMBER && isnan(Ad[i]));
                assert_true(i >= N * M || (steps == SOA_OK ? isfinite(Bd[i]) : isnan(Bd[i])));
            }
            assert_true(isfinite(odd[z]) || steps == SOA_E_NUMBER);
            assert_true(once == SOA_OK || at < N * N);
        }
    }
    Ad[0] = Bd[0] = 0.0;
    assert_int_equal(soa_linear_discrete(w, N, M, A, B, NAN, Ad, Bd, &error), SOA_E_NUMBER);
    assert_true(isnan(Ad[0]) && isnan(Bd[0]));
    soa_linear_workspace_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops),
        cmocka_unit_test(every_kind),
        cmocka_unit_test(arms),
        cmocka_unit_test(exponentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
