/* emit/algorithms.c - the algorithms as traces of the library's kernels. */
#include "emit/job.h"
#include "soa/parameters.h"

/* ---- tracing -------------------------------------------------------------------------------- */

/* Moves what a joint does not feel of the inertia of its body to the parent: zeros are left, and forces are the same.
 * About z that is a mass on the axis with two equal moments across it; along z it is every moment. A flexible
 * parent has modes that feel it, and one without mass is swept as such: they keep theirs. */
static void regroup_joint(emit_job *j, soa_body_data *body, int k)
{
    const soa_body_data *parent = body[k].parent >= 0 ? &body[body[k].parent] : NULL;
    double *I = body[k].inertia, moved[SOA_PARAMETERS] = { 0.0 }, seen[SOA_PARAMETERS];
    if (body[k].joint_class == SOA_CLASS_REVOLUTE) {
        moved[0] = I[0], moved[3] = I[3];
        moved[4] = moved[7] = I[7];
    } else if (body[k].joint_class == SOA_CLASS_PRISMATIC) {
        memcpy(moved + 4, I + 4, 6 * sizeof *I);
    } else {
        return;
    }
    if (parent != NULL && (parent->joint_class == SOA_CLASS_MODAL || parent->rest->massless)) {
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
bool emit_regroup(emit_job *j)
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
soa_call emit_call(const emit_job *j)
{
    soa_call call = { .q.at = j->in[IN_Q], .model = j->model };
    call.v.at = j->in[IN_V];
    call.u.at = j->push != NULL ? j->push : j->in[IN_U];
    call.point = j->request->points > 0 ? j->request->point : NULL;
    call.points = j->request->points;
    return call;
}

/* A kernel with one output. */
static bool trace_into(emit_job *j, soa_kernel_id kernel, const char *name, int size)
{
    soa_call call = emit_call(j);
    call.y.at = emit_output(j, name, size);
    return call.y.at != NULL && trace_kernel(&j->t, kernel, &call);
}

static int square(const emit_job *j)
{
    return j->model->nv * j->model->nv;
}

bool trace_id(emit_job *j)
{
    return emit_regroup(j) && trace_into(j, SOA_KERNEL_inverse_dynamics, "tau", j->model->nv);
}

bool trace_fd(emit_job *j)
{
    return emit_regroup(j) && emit_push(j) && trace_into(j, SOA_KERNEL_forward_dynamics, "vdot", j->model->nv);
}

/* Mass into y. */
bool emit_mass(emit_job *j, double *y)
{
    soa_call call = { .q.at = j->in[IN_Q], .y.at = y, .model = j->model };
    return trace_kernel(&j->t, SOA_KERNEL_mass_matrix, &call);
}

bool trace_mass(emit_job *j)
{
    double *mass = emit_output(j, "mass", square(j));
    return mass != NULL && emit_regroup(j) && emit_mass(j, mass);
}

bool trace_coriolis(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_coriolis_matrix, "coriolis", square(j));
}

bool trace_jacobian(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_jacobian, "jacobian", 6 * j->request->points * j->model->nv);
}

bool trace_energy(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_energy, "energy", 2);
}

bool trace_momentum(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_momentum, "momentum", 12);
}

bool trace_centroidal(emit_job *j)
{
    return trace_into(j, SOA_KERNEL_centroidal_matrix, "matrix", 6 * j->model->nv);
}

bool trace_kinematics(emit_job *j)
{
    const int items = j->request->points > 0 ? j->request->points : j->model->description.link.count;
    soa_call call = emit_call(j);
    call.y.at = emit_output(j, "pose", 12 * items);
    call.y2.at = emit_output(j, "velocity", 6 * items);
    call.y3.at = emit_output(j, "acceleration", 6 * items);
    return call.y.at && call.y2.at && call.y3.at && trace_kernel(&j->t, SOA_KERNEL_kinematics, &call);
}

/* x = Mass^-1 x, x nv rows of n columns; what columns have in common is on the tape once. */
bool emit_solve_columns(emit_job *j, int n, double *x)
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
bool emit_mass_inverse(emit_job *j, double *inverse)
{
    const int nv = j->model->nv;
    for (int i = 0; i < nv * nv; i++) {
        inverse[i] = i / nv == i % nv ? 1.0 : 0.0;
    }
    const bool good = emit_solve_columns(j, nv, inverse);
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < i; k++) {
            inverse[k * nv + i] = inverse[i * nv + k];
        }
    }
    return good;
}

bool trace_massinv(emit_job *j)
{
    double *inverse = emit_output(j, "massinv", square(j));
    return inverse != NULL && emit_regroup(j) && emit_mass_inverse(j, inverse);
}

/* J of the points. */
bool emit_jacobian(emit_job *j, double *J)
{
    soa_call call = { .q.at = j->in[IN_Q], .y.at = J, .model = j->model };
    call.point = j->request->point;
    call.points = j->request->points;
    return trace_kernel(&j->t, SOA_KERNEL_jacobian, &call);
}

/* J Mass^-1 J* */
bool emit_lambda(emit_job *j, double *lambda)
{
    const int nv = j->model->nv, n = 6 * j->request->points;
    double *J = calloc(2 * (size_t)(n * nv) + 1, sizeof *J), *X = J + n * nv;
    bool good = J != NULL && emit_jacobian(j, J);
    for (int e = 0; good && e < n * nv; e++) {
        X[e % nv * n + e / nv] = J[e];
    }
    good = good && emit_solve_columns(j, n, X);
    for (int r = 0; good && r < n; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i < nv; i++) {
                const double product = tape_apply(&j->t, TAPE_MUL, J[r * nv + i], X[i * n + c], 0.0);
                sum = tape_apply(&j->t, TAPE_ADD, sum, product, 0.0);
            }
            lambda[r * n + c] = lambda[c * n + r] = sum;
        }
    }
    free(J);
    return good;
}

bool trace_osim(emit_job *j)
{
    const int n = 6 * j->request->points;
    double *inverse = emit_output(j, "inverse", n * n), *inertia = emit_output(j, "inertia", n * n);
    double *A = calloc((size_t)(n * n) + 1, sizeof *A);
    const bool good = inverse && inertia && A && emit_regroup(j) && emit_lambda(j, inverse);
    for (int i = 0; good && i < n * n; i++) {
        A[i] = inverse[i];
        inertia[i] = i / n == i % n ? 1.0 : 0.0;
    }
    if (good) {
        tape_solve(&j->t, n, A, n, inertia);
    }
    free(A);
    return good && !j->t.full;
}
