/* bench_algorithms.c - the algorithms that soa bench measures. */
#include "bench.h"
#include "soa/christoffel.h"
#include "soa/dynamics.h"
#include "soa/io.h"
#include "soa/sens.h"

/* ---- numbers of output per state ----------------------------------------------------- */

static size_t no_output(const soa_model *model)
{
    (void)model;
    return 0;
}

static size_t vector(const soa_model *model)
{
    return (size_t)soa_model_nv(model);
}

static size_t matrix(const soa_model *model)
{
    return vector(model) * vector(model);
}

static size_t cube(const soa_model *model)
{
    return vector(model) * matrix(model);
}

static size_t three_matrices(const soa_model *model)
{
    return 3 * matrix(model);
}

static size_t five_matrices(const soa_model *model)
{
    return 5 * matrix(model);
}

static size_t six_rows(const soa_model *model)
{
    return 6 * vector(model);
}

/* Pose, velocity and acceleration of every link. */
static size_t motions(const soa_model *model)
{
    return 24 * (size_t)soa_model_links(model);
}

static size_t two_blocks(const soa_model *model)
{
    (void)model;
    return 2 * 36;
}

static size_t two_numbers(const soa_model *model)
{
    (void)model;
    return 2;
}

/* ---- algorithms ------------------------------------------------------------------------ */

static const double *q_of(const bench_case *c, int first)
{
    return c->q + (size_t)first * (size_t)soa_model_nq(c->model);
}

static const double *v_of(const bench_case *c, int first)
{
    return c->v + (size_t)first * (size_t)soa_model_nv(c->model);
}

static const double *u_of(const bench_case *c, int first)
{
    return c->u + (size_t)first * (size_t)soa_model_nv(c->model);
}

static soa_status inverse_dynamics(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_inverse_dynamics(
        c->model, c->workspace, count, q_of(c, first), v_of(c, first), u_of(c, first), NULL, c->y, error);
}

static soa_status forward_dynamics(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_forward_dynamics(
        c->model, c->workspace, count, q_of(c, first), v_of(c, first), u_of(c, first), NULL, c->y, error);
}

static soa_status mass_matrix(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_mass_matrix(c->model, c->workspace, count, q_of(c, first), c->y, error);
}

static soa_status mass_inverse(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_mass_inverse(c->model, c->workspace, count, q_of(c, first), c->y, error);
}

static soa_status mass_solve(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_mass_solve(c->model, c->workspace, count, q_of(c, first), u_of(c, first), c->y, error);
}

static soa_status jacobian(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_jacobian(c->model, c->workspace, 1, &c->tip, SOA_AXES_MIXED, count, q_of(c, first), c->y, error);
}

static soa_status operational_inertia(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_operational_inertia(
        c->model, c->workspace, 1, &c->tip, count, q_of(c, first), c->y, c->y + 36 * (size_t)count, error);
}

static soa_status kinematics(const bench_case *c, int first, int count, soa_error *error)
{
    const size_t links = (size_t)soa_model_links(c->model) * (size_t)count;
    return soa_kinematics(c->model, c->workspace, count, q_of(c, first), v_of(c, first), u_of(c, first), c->y,
        c->y + 12 * links, c->y + 18 * links, error);
}

static soa_status centroidal_matrix(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_centroidal_matrix(c->model, c->workspace, count, q_of(c, first), c->y, error);
}

static soa_status energy(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_energy(c->model, c->workspace, count, q_of(c, first), v_of(c, first), c->y, error);
}

static soa_status coriolis_matrix(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_coriolis_matrix(c->model, c->workspace, count, q_of(c, first), v_of(c, first), c->y, error);
}

static soa_status christoffel(const bench_case *c, int first, int count, soa_error *error)
{
    return soa_christoffel(c->model, c->workspace, count, q_of(c, first), c->y, error);
}

static soa_status inverse_derivatives(const bench_case *c, int first, int count, soa_error *error)
{
    const size_t n = matrix(c->model) * (size_t)count;
    return soa_inverse_dynamics_derivatives(c->model, c->workspace, count, q_of(c, first), v_of(c, first),
        u_of(c, first), NULL, c->y, c->y + n, c->y + 2 * n, error);
}

static soa_status forward_derivatives(const bench_case *c, int first, int count, soa_error *error)
{
    const size_t n = matrix(c->model) * (size_t)count;
    return soa_forward_dynamics_derivatives(c->model, c->workspace, count, q_of(c, first), v_of(c, first),
        u_of(c, first), NULL, c->y, c->y + n, c->y + 2 * n, NULL, error);
}

static soa_status derivatives(const bench_case *c, int first, int count, soa_error *error)
{
    const size_t n = matrix(c->model) * (size_t)count;
    const soa_status status = soa_forward_dynamics_derivatives(c->model, c->workspace, count, q_of(c, first),
        v_of(c, first), u_of(c, first), NULL, c->y, c->y + n, c->y + 2 * n, NULL, error);
    return status != SOA_OK ? status
                            : soa_inverse_dynamics_derivatives(c->model, c->workspace, count, q_of(c, first),
                                  v_of(c, first), u_of(c, first), NULL, c->y + 3 * n, c->y + 4 * n, NULL, error);
}

/* Of the states that satisfy the closures, again and again if there are fewer. */
static soa_status closed_forward_dynamics(const bench_case *c, int first, int count, soa_error *error)
{
    const size_t nq = (size_t)soa_model_nq(c->model), nv = vector(c->model);
    soa_status status = SOA_OK;
    for (int done = 0, n = 0; done < count && status == SOA_OK; done += n) {
        const int s = (first + done) % c->closed_states, left = c->closed_states - s;
        n = count - done < left ? count - done : left;
        status = soa_closed_forward_dynamics(c->closures, n, c->closed_q + (size_t)s * nq, c->closed_v + (size_t)s * nv,
            u_of(c, first + done), NULL, c->y + (size_t)done * nv, NULL, NULL, error);
    }
    return status;
}

static soa_status loading(const bench_case *c, int first, int count, soa_error *error)
{
    soa_model *model = NULL;
    (void)first;
    (void)count;
    const soa_status status = soa_load(c->source, NULL, &model, error);
    soa_model_free(model);
    return status;
}

static const bench_algorithm ALGORITHM[] = {
    { "inverse-dynamics", "forces for given accelerations", BENCH_ANY, vector, inverse_dynamics },
    { "forward-dynamics", "accelerations under given forces", BENCH_ANY, vector, forward_dynamics },
    { "mass-matrix", "the whole matrix", BENCH_DENSE, matrix, mass_matrix },
    { "mass-inverse", "the whole inverse", BENCH_DENSE, matrix, mass_inverse },
    { "mass-solve", "the inverse times a vector, without the matrix", BENCH_ANY, vector, mass_solve },
    { "kinematics", "pose, velocity and acceleration of every link", BENCH_ANY, motions, kinematics },
    { "jacobian", "of the link with the most bodies inboard", BENCH_ANY, six_rows, jacobian },
    { "operational-inertia", "of that link, and its inverse", BENCH_ANY, two_blocks, operational_inertia },
    { "centroidal-matrix", "momentum per velocity", BENCH_ANY, six_rows, centroidal_matrix },
    { "energy", "kinetic and potential", BENCH_ANY, two_numbers, energy },
    { "coriolis-matrix", "the whole matrix", BENCH_DENSE, matrix, coriolis_matrix },
    { "christoffel", "all symbols", BENCH_CUBE, cube, christoffel },
    { "inverse-dynamics-derivatives", "by q, v and vdot", BENCH_DENSE, three_matrices, inverse_derivatives },
    { "forward-dynamics-derivatives", "by q, v and T", BENCH_DENSE, three_matrices, forward_derivatives },
    { "dynamics-derivatives", "of both: T by q and v too", BENCH_DENSE, five_matrices, derivatives },
    { "closed-forward-dynamics", "with the closures of the model, on states that satisfy them", BENCH_LOOPS, vector,
        closed_forward_dynamics },
    { "loading", "reading the file and making the model", BENCH_FILE, no_output, loading },
};

int bench_algorithms(void)
{
    return (int)(sizeof ALGORITHM / sizeof ALGORITHM[0]);
}

const bench_algorithm *bench_algorithm_at(int index)
{
    return &ALGORITHM[index];
}
