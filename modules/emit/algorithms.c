/* emit/algorithms.c - the algorithms as traces of the library's kernels. */
#include "emit/job.h"
#include "emit_list.h"
#include "soa/parameters.h"
#include "soa/sens.h"

/* ---- tracing -------------------------------------------------------------------------------- */

/* Of the inertia of a body, what the joint does not feel, moved to its parent: zeros are left, and forces are the same.
 * About z that is a mass on the axis with two equal moments across it; along z it is every moment. */
static void regroup_joint(emit_job *j, soa_body_data *body, int k)
{
    double *I = body[k].inertia, moved[SOA_PARAMETERS] = { 0.0 }, seen[SOA_PARAMETERS];
    if (body[k].joint_class == SOA_CLASS_REVOLUTE) {
        moved[0] = I[0], moved[3] = I[3];
        moved[4] = moved[7] = I[7];
    } else if (body[k].joint_class == SOA_CLASS_PRISMATIC) {
        memcpy(moved + 4, I + 4, 6 * sizeof *I);
    } else {
        return;
    }
    trace_inertia(&j->t, &body[k].rest->at, moved, seen);
    for (int i = 0; i < SOA_PARAMETERS; i++) {
        I[i] -= moved[i];
        if (body[k].parent >= 0) {
            body[body[k].parent].inertia[i] += seen[i];
        }
    }
}

/* The model of the job with fewer numbers in its inertias. For what depends on Mass and C alone. */
static bool regroup(emit_job *j)
{
    const soa_model *m = j->model;
    if (j->request->literal) {
        return true;
    }
    j->regrouped = *m;
    j->regrouped.body = malloc((size_t)(m->bodies + 1) * sizeof *m->body);
    if (j->regrouped.body == NULL) {
        return false;
    }
    memcpy(j->regrouped.body, m->body, (size_t)m->bodies * sizeof *m->body);
    for (int k = m->bodies - 1; k >= 0; k--) {
        regroup_joint(j, j->regrouped.body, k);
    }
    j->model = &j->regrouped;
    return true;
}

/* The call of a kernel on the inputs of the job. */
static soa_call call_of(const emit_job *j)
{
    soa_call call = { .q.at = j->in[IN_Q], .model = j->model };
    call.v.at = j->in[IN_V];
    call.u.at = j->in[IN_U];
    call.point = j->request->points > 0 ? j->request->point : NULL;
    call.points = j->request->points;
    return call;
}

/* A kernel with one output. */
static bool trace_into(emit_job *j, soa_kernel_id kernel, const char *name, int size)
{
    soa_call call = call_of(j);
    call.y.at = emit_output(j, name, size);
    return call.y.at != NULL && trace_kernel(&j->t, kernel, &call);
}

static int square(const emit_job *j)
{
    return j->model->nv * j->model->nv;
}

static bool trace_id(emit_job *j)
{
    return regroup(j) && trace_into(j, SOA_KERNEL_inverse_dynamics, "tau", j->model->nv);
}

static bool trace_fd(emit_job *j)
{
    return regroup(j) && trace_into(j, SOA_KERNEL_forward_dynamics, "vdot", j->model->nv);
}

static bool trace_mass(emit_job *j)
{
    return regroup(j) && trace_into(j, SOA_KERNEL_mass_matrix, "mass", square(j));
}

static bool trace_coriolis(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_coriolis_matrix, "coriolis", square(j));
}

static bool trace_jacobian(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_jacobian, "jacobian", 6 * j->request->points * j->model->nv);
}

static bool trace_energy(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_energy, "energy", 2);
}

static bool trace_momentum(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_momentum, "momentum", 12);
}

static bool trace_centroidal(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_centroidal_matrix, "matrix", 6 * j->model->nv);
}

static bool trace_kinematics(emit_job *j)
{
    const int items = j->request->points > 0 ? j->request->points : j->model->description.link.count;
    soa_call call = call_of(j);
    call.y.at = emit_output(j, "pose", 12 * items);
    call.y2.at = emit_output(j, "velocity", 6 * items);
    call.y3.at = emit_output(j, "acceleration", 6 * items);
    return call.y.at && call.y2.at && call.y3.at && trace_kernel(&j->t, SOA_KERNEL_kinematics, &call);
}

/* x = Mass^-1 x, x nv rows of n columns; what columns have in common is on the tape once. */
static bool solve_columns(emit_job *j, int n, double *x)
{
    const int nv = j->model->nv;
    double *column = malloc(2 * (size_t)nv * sizeof *column + 1), *y = column + nv;
    bool good = column != NULL;
    for (int c = 0; good && c < n; c++) {
        for (int i = 0; i < nv; i++) {
            column[i] = x[i * n + c];
        }
        soa_call call = { .q.at = j->in[IN_Q], .u.at = column, .y.at = y, .model = j->model };
        good = trace_kernel(&j->t, SOA_KERNEL_mass_solve, &call);
        for (int i = 0; good && i < nv; i++) {
            x[i * n + c] = y[i];
        }
    }
    free(column);
    return good;
}

/* The columns of Mass^-1; symmetric, to the bit. */
static bool put_inverse(emit_job *j, double *inverse)
{
    const int nv = j->model->nv;
    for (int i = 0; i < nv; i++) {
        inverse[i * nv + i] = 1.0;
    }
    const bool good = solve_columns(j, nv, inverse);
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < i; k++) {
            inverse[k * nv + i] = inverse[i * nv + k];
        }
    }
    return good;
}

static bool trace_massinv(emit_job *j)
{
    double *inverse = emit_output(j, "massinv", square(j));
    return inverse != NULL && regroup(j) && put_inverse(j, inverse);
}

static bool trace_osim(emit_job *j)
{
    const int nv = j->model->nv, n = 6 * j->request->points;
    double *inverse = emit_output(j, "inverse", n * n), *inertia = emit_output(j, "inertia", n * n);
    const size_t numbers = (size_t)(n * nv);
    double *J = calloc(2 * numbers + (size_t)(n * n) + 1, sizeof *J);
    if (inverse == NULL || inertia == NULL || J == NULL) {
        free(J);
        return false;
    }
    double *X = J + numbers, *A = X + numbers;
    soa_call call = call_of(j);
    call.y.at = J;
    bool good = regroup(j) && trace_kernel(&j->t, SOA_KERNEL_jacobian, &call);
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < nv; i++) {
            X[i * n + r] = J[r * nv + i];
        }
    }
    good = good && solve_columns(j, n, X);
    for (int r = 0; good && r < n; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i < nv; i++) {
                sum = tape_apply(
                    &j->t, TAPE_ADD, sum, tape_apply(&j->t, TAPE_MUL, J[r * nv + i], X[i * n + c], 0.0), 0.0);
            }
            inverse[r * n + c] = inverse[c * n + r] = A[r * n + c] = A[c * n + r] = sum;
        }
        inertia[r * n + r] = 1.0;
    }
    if (good) {
        tape_solve(&j->t, n, A, n, inertia);
    }
    free(J);
    return good && !j->t.full;
}

/* ---- derivatives ------------------------------------------------------------------------------ */

/* How q moves along one velocity; or one input of another array alone. */
typedef struct direction {
    int array, i;
    const double *rate;
} direction;

static double along(void *context, int array, int i)
{
    const direction *d = context;
    if (array != d->array) {
        return 0.0;
    }
    return d->rate != NULL ? d->rate[i] : i == d->i ? 1.0 : 0.0;
}

/* column `at` of n values' derivatives, rows `stride` apart. */
static bool derive_into(emit_job *j, int n, const double *value, direction d, double *to, int stride)
{
    double *column = malloc(((size_t)n + 1) * sizeof *column);
    const bool good = column != NULL && tape_derive(&j->t, n, value, along, &d, column);
    for (int i = 0; good && i < n; i++) {
        to[i * stride] = column[i];
    }
    free(column);
    return good;
}

/* The derivatives of nv values along velocity i of body k into column body->v + i. */
static bool derive_along(emit_job *j, const double *value, int k, int i, double *rate, double *to)
{
    const soa_body_data *body = &j->model->body[k];
    const soa_joint_kind kind = body->rest->shape.kind;
    double beta[SOA_JOINT_MAX_NV] = { 0.0 };
    beta[i] = 1.0;
    memset(rate, 0, (size_t)j->model->nq * sizeof *rate);
    trace_rates(&j->t, kind, j->in[IN_Q] + body->q, beta, rate + body->q);
    return derive_into(j, j->model->nv, value, (direction){ IN_Q, 0, rate }, to + body->v + i, j->model->nv);
}

/* dT/dq and dT/dv of inverse dynamics, nv x nv each. */
static bool derive_id(emit_job *j, const double *tau, double *dq, double *dv)
{
    const soa_model *m = j->model;
    double *rate = malloc(((size_t)m->nq + 1) * sizeof *rate);
    bool good = rate != NULL;
    for (int k = 0; good && k < m->bodies; k++) {
        for (int i = 0; good && i < m->body[k].nv; i++) {
            const int v = m->body[k].v + i;
            good = derive_along(j, tau, k, i, rate, dq) &&
                   derive_into(j, m->nv, tau, (direction){ IN_V, v, NULL }, dv + v, m->nv);
        }
    }
    free(rate);
    return good;
}

static bool trace_id_derivatives(emit_job *j)
{
    const int nv = j->model->nv;
    double *dq = emit_output(j, "dtau_dq", nv * nv), *dv = emit_output(j, "dtau_dv", nv * nv);
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    const bool ready = regroup(j);
    soa_call call = call_of(j);
    call.y.at = tau;
    const bool good = ready && dq != NULL && dv != NULL && tau != NULL &&
                      trace_kernel(&j->t, SOA_KERNEL_inverse_dynamics, &call) && derive_id(j, tau, dq, dv);
    free(tau);
    return good;
}

/* dvdot = -Mass^-1 dT, T the inverse dynamics at vdot; third input: tau. */
static bool trace_fd_derivatives(emit_job *j)
{
    const int nv = j->model->nv, n = nv * nv;
    double *vdot = emit_output(j, "vdot", nv), *dq = emit_output(j, "dvdot_dq", n), *dv = emit_output(j, "dvdot_dv", n),
           *dtau = emit_output(j, "dvdot_dtau", n);
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    bool good = vdot && dq && dv && dtau && tau && regroup(j);
    soa_call call = call_of(j);
    call.y.at = tau;
    good = good && trace_kernel(&j->t, SOA_KERNEL_inverse_dynamics, &call) && derive_id(j, tau, dq, dv);
    call = call_of(j);
    call.y.at = vdot;
    good = good && trace_kernel(&j->t, SOA_KERNEL_forward_dynamics, &call);
    double *const both[] = { dq, dv };
    for (int i = 0; good && i < 2; i++) {
        good = tape_substitute(&j->t, n, both[i], IN_U, vdot);
        for (int k = 0; good && k < n; k++) {
            both[i][k] = tape_apply(&j->t, TAPE_NEG, both[i][k], 0.0, 0.0);
        }
        good = good && solve_columns(j, nv, both[i]);
    }
    free(tau);
    return good && put_inverse(j, dtau);
}

/* ---- regressor ------------------------------------------------------------------------------------ */

enum { IN_PARAMETERS = IN_ARRAYS };

/* A model whose inertias are made of ten inputs per link. */
static bool symbolic_inertias(emit_job *j, soa_model *m)
{
    m->body = malloc((size_t)(m->bodies + 1) * sizeof *m->body);
    if (m->body == NULL) {
        return false;
    }
    memcpy(m->body, j->model->body, (size_t)m->bodies * sizeof *m->body);
    for (int k = 0; k < m->bodies; k++) {
        memset(m->body[k].inertia, 0, sizeof m->body[k].inertia);
    }
    for (int link = 0; link < m->description.link.count; link++) {
        const int k = m->place[link].body;
        double pi[SOA_PARAMETERS], seen[SOA_PARAMETERS];
        for (int i = 0; i < SOA_PARAMETERS; i++) {
            pi[i] = tape_input(&j->t, IN_PARAMETERS, SOA_PARAMETERS * link + i);
        }
        trace_inertia(&j->t, &m->place[link].at, pi, seen);
        for (int i = 0; k >= 0 && i < SOA_PARAMETERS; i++) {
            double *to = &m->body[k].inertia[i];
            *to = tape_apply(&j->t, TAPE_ADD, *to, seen[i], 0.0);
        }
    }
    return true;
}

static bool trace_regressor(emit_job *j)
{
    const int nv = j->model->nv, n = SOA_PARAMETERS * j->model->description.link.count;
    soa_model m = *j->model;
    double *Y = emit_output(j, "regressor", nv * n), *tau = calloc((size_t)nv + 1, sizeof *tau);
    bool good = Y != NULL && tau != NULL && symbolic_inertias(j, &m);
    soa_call call = call_of(j);
    call.model = &m;
    call.y.at = tau;
    good = good && trace_kernel(&j->t, SOA_KERNEL_inverse_dynamics, &call);
    for (int i = 0; good && i < n; i++) {
        good = derive_into(j, nv, tau, (direction){ IN_PARAMETERS, i, NULL }, Y + i, n);
    }
    free(m.body != j->model->body ? m.body : NULL);
    free(tau);
    return good;
}

/* ---- the library ---------------------------------------------------------------------------------- */

#define REFERENCE(name, ...)                                               \
    static soa_status name(emit_reference *r)                              \
    {                                                                      \
        const double *q = r->in[IN_Q], *v = r->in[IN_V], *u = r->in[IN_U]; \
        double *const *y = r->out;                                         \
        (void)q, (void)v, (void)u;                                         \
        return __VA_ARGS__;                                                \
    }
REFERENCE(run_id, soa_inverse_dynamics(r->model, r->workspace, 1, q, v, u, NULL, y[0], &r->error))
REFERENCE(run_fd, soa_forward_dynamics(r->model, r->workspace, 1, q, v, u, NULL, y[0], &r->error))
REFERENCE(run_bias, soa_bias_force(r->model, r->workspace, 1, q, v, y[0], &r->error))
REFERENCE(run_gravity, soa_gravity_force(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_mass, soa_mass_matrix(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_massinv, soa_mass_inverse(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_coriolis, soa_coriolis_matrix(r->model, r->workspace, 1, q, v, y[0], &r->error))
REFERENCE(run_kinematics,
    r->points > 0
        ? soa_point_kinematics(r->model, r->workspace, r->points, r->point, 1, q, v, u, y[0], y[1], y[2], &r->error)
        : soa_kinematics(r->model, r->workspace, 1, q, v, u, y[0], y[1], y[2], &r->error))
REFERENCE(
    run_jacobian, soa_jacobian(r->model, r->workspace, r->points, r->point, SOA_AXES_MIXED, 1, q, y[0], &r->error))
REFERENCE(run_osim, soa_operational_inertia(r->model, r->workspace, r->points, r->point, 1, q, y[0], y[1], &r->error))
REFERENCE(run_energy, soa_energy(r->model, r->workspace, 1, q, v, y[0], &r->error))
REFERENCE(run_momentum, soa_momentum(r->model, r->workspace, 1, q, v, y[0], NULL, &r->error))
REFERENCE(run_centroidal, soa_centroidal_matrix(r->model, r->workspace, 1, q, y[0], &r->error))
REFERENCE(run_id_derivatives,
    soa_inverse_dynamics_derivatives(r->model, r->workspace, 1, q, v, u, NULL, y[0], y[1], NULL, &r->error))
REFERENCE(run_fd_derivatives,
    soa_forward_dynamics_derivatives(r->model, r->workspace, 1, q, v, u, NULL, y[1], y[2], y[3], y[0], &r->error))
REFERENCE(run_regressor, soa_regressor(r->model, r->workspace, 1, q, v, u, y[0], &r->error))

/* ---- the table --------------------------------------------------------------------------------------- */

/* What it needs, and what it may promise: see emit_algorithm. */
enum { POINTS = 1, SOLVES = 2, EXACT = 4 };

static const struct {
    bool (*trace)(emit_job *job);
    soa_status (*reference)(emit_reference *r);
    int traits;
} HOW[] = {
    { trace_id, run_id, EXACT },
    { trace_fd, run_fd, EXACT },
    { trace_id, run_bias, EXACT },
    { trace_id, run_gravity, EXACT },
    { trace_mass, run_mass, EXACT },
    { trace_massinv, run_massinv, 0 },
    { trace_coriolis, run_coriolis, EXACT },
    { trace_kinematics, run_kinematics, EXACT },
    { trace_jacobian, run_jacobian, POINTS | EXACT },
    { trace_osim, run_osim, POINTS | SOLVES },
    { trace_energy, run_energy, EXACT },
    { trace_momentum, run_momentum, EXACT },
    { trace_centroidal, run_centroidal, EXACT },
    { trace_id_derivatives, run_id_derivatives, 0 },
    { trace_fd_derivatives, run_fd_derivatives, SOLVES },
    { trace_regressor, run_regressor, 0 },
};

static const emit_algorithm ALGORITHM[] = {
#define ALGORITHM_ROW(name, word, inputs, third, outputs, equation) \
    { #name, word, inputs, third, outputs, equation, NULL, NULL, false, false, false },
    EMIT_LIST(ALGORITHM_ROW)
#undef ALGORITHM_ROW
};

_Static_assert(
    sizeof HOW / sizeof HOW[0] == sizeof ALGORITHM / sizeof ALGORITHM[0], "each algorithm has its functions");

bool emit_find(const char *name, emit_algorithm *found)
{
    for (size_t i = 0; i < sizeof ALGORITHM / sizeof ALGORITHM[0]; i++) {
        if (strcmp(ALGORITHM[i].name, name) == 0 || strcmp(ALGORITHM[i].word, name) == 0) {
            *found = ALGORITHM[i];
            found->trace = HOW[i].trace;
            found->reference = HOW[i].reference;
            found->needs_points = (HOW[i].traits & POINTS) != 0;
            found->solves = (HOW[i].traits & SOLVES) != 0;
            found->exact = (HOW[i].traits & EXACT) != 0;
            return true;
        }
    }
    return false;
}
