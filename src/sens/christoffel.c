/* sens/christoffel.c - the API of soa/christoffel.h. */
#include "soa/christoffel.h"

#include "core/error.h"
#include "sens/kernels.h"

/* As in christoffel.kernel.h. */
enum { DENSE = 0, PACKED = 1 };

static size_t cube(const soa_model *m)
{
    return (size_t)m->nv * (size_t)m->nv * (size_t)m->nv;
}

static soa_status need(const soa_model *m, const double *x, const char *name, soa_error *error)
{
    return x || m->nv == 0 ? SOA_OK : soa_fail(error, SOA_E_ARGUMENT, -1, "the vector %s is missing", name);
}

/* ---- mass matrix ------------------------------------------------------------------------------ */

soa_status soa_mass_derivatives(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *dmass, soa_error *error)
{
    soa_call call = soa_call_of(model, q, NULL, NULL, NULL, NULL);
    call.y = (soa_out){ dmass, cube(model) };
    return soa_sens_run(workspace, model, SOA_SENS_mass_derivatives, states, &call, error);
}

soa_status soa_mass_derivative(const soa_model *model, soa_workspace *workspace, int velocity, int states,
    const double *q, double *dmass, soa_error *error)
{
    if (velocity < 0 || velocity >= model->nv) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "velocity %d does not exist; the model has %d", velocity, model->nv);
    }
    soa_call call = soa_call_of(model, q, NULL, NULL, NULL, NULL);
    call.y = (soa_out){ dmass, (size_t)model->nv * (size_t)model->nv };
    call.option = velocity + 1;
    return soa_sens_run(workspace, model, SOA_SENS_mass_rate, states, &call, error);
}

soa_status soa_mass_rate(const soa_model *model, soa_workspace *workspace, int states, const double *q, const double *x,
    double *rate, soa_error *error)
{
    const soa_status status = need(model, x, "x", error);
    soa_call call = soa_call_of(model, q, x, NULL, NULL, NULL);
    call.y = (soa_out){ rate, (size_t)model->nv * (size_t)model->nv };
    return status != SOA_OK ? status : soa_sens_run(workspace, model, SOA_SENS_mass_rate, states, &call, error);
}

soa_status soa_mass_product_derivative(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, double *derivative, soa_error *error)
{
    const soa_status status = need(model, x, "x", error);
    soa_call call = soa_call_of(model, q, x, NULL, NULL, NULL);
    call.y = (soa_out){ derivative, (size_t)model->nv * (size_t)model->nv };
    return status != SOA_OK ? status
                            : soa_sens_run(workspace, model, SOA_SENS_mass_product_derivative, states, &call, error);
}

/* ---- Christoffel symbols -------------------------------------------------------------------------- */

soa_status soa_christoffel(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *symbols, soa_error *error)
{
    soa_call call = soa_call_of(model, q, NULL, NULL, NULL, NULL);
    call.y = (soa_out){ symbols, cube(model) };
    call.option = DENSE;
    return soa_sens_run(workspace, model, SOA_SENS_christoffel, states, &call, error);
}

soa_status soa_christoffel_packed(
    const soa_model *model, soa_workspace *workspace, int states, const double *q, double *symbols, soa_error *error)
{
    soa_call call = soa_call_of(model, q, NULL, NULL, NULL, NULL);
    call.y = (soa_out){ symbols, (size_t)soa_christoffel_size(model) };
    call.option = PACKED;
    return soa_sens_run(workspace, model, SOA_SENS_christoffel, states, &call, error);
}

soa_status soa_christoffel_product(const soa_model *model, soa_workspace *workspace, int states, const double *q,
    const double *x, const double *y, double *product, soa_error *error)
{
    soa_status status = need(model, x, "x", error);
    status = status == SOA_OK ? need(model, y, "y", error) : status;
    soa_call call = soa_call_of(model, q, x, y, "y", NULL);
    call.y = soa_out_at(product, model->nv);
    return status != SOA_OK ? status
                            : soa_sens_run(workspace, model, SOA_SENS_christoffel_product, states, &call, error);
}

/* ---- where packed symbols stand ------------------------------------------------------------------- */

static int body_of(const soa_model *m, int velocity)
{
    int low = 0, high = m->bodies - 1; /* velocities rise with the number of the body */
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (m->body[middle].v <= velocity) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Velocities on the path from the base that come before those of the body. */
static int before(const soa_model *m, int body)
{
    int count = 0;
    for (int k = m->body[body].parent; k >= 0; k = m->body[k].parent) {
        count += m->body[k].nv;
    }
    return count;
}

static bool on_path(const soa_model *m, int last, int body)
{
    int k = last;
    while (k > body) {
        k = m->body[k].parent;
    }
    return k == body;
}

/* Numbers of a velocity with d of them up to it. */
static long long block(long long d)
{
    return 3 * d * (d - 1) + 1;
}

/* Numbers of all velocities before this one. */
static long long blocks_before(const soa_model *m, int velocity)
{
    long long sum = 0;
    for (int k = 0; k < m->bodies && m->body[k].v < velocity; k++) {
        const int d = before(m, k);
        for (int c = 0; c < m->body[k].nv && m->body[k].v + c < velocity; c++) {
            sum += block(d + c + 1);
        }
    }
    return sum;
}

long long soa_christoffel_size(const soa_model *model)
{
    return blocks_before(model, model->nv);
}

/* The place of a velocity on its path. */
static size_t place(const soa_model *m, int velocity)
{
    const int k = body_of(m, velocity);
    return (size_t)(before(m, k) + velocity - m->body[k].v);
}

/* Of velocities on one path. */
static size_t packed_index(const soa_model *m, int i, int j, int k)
{
    const int c = i > j ? (i > k ? i : k) : (j > k ? j : k);
    const size_t d = place(m, c) + 1, base = (size_t)blocks_before(m, c);
    if (i == c) {
        return base + place(m, j) * d + place(m, k);
    }
    if (j == c) {
        return base + d * d + place(m, i) * d + place(m, k);
    }
    return base + d * d + (d - 1) * d + place(m, i) * (d - 1) + place(m, j);
}

long long soa_christoffel_index(const soa_model *model, int i, int j, int k)
{
    const int n = model->nv;
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n) {
        return -1;
    }
    const int c = i > j ? (i > k ? i : k) : (j > k ? j : k), last = body_of(model, c);
    const bool related = on_path(model, last, body_of(model, i)) && on_path(model, last, body_of(model, j)) &&
                         on_path(model, last, body_of(model, k));
    return related ? (long long)packed_index(model, i, j, k) : -1;
}
