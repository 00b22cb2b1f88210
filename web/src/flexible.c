/* flexible.c - flexible links on the page: their nodes, which the library places, and what JavaScript draws them from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "soa/flex.h"

enum { MOST_DRAWN = 4000 }; /* nodes of a link */

int page_node_stride(const soa_flexible *flexible)
{
    return flexible ? (flexible->nodes + MOST_DRAWN - 1) / MOST_DRAWN : 1;
}

int page_nodes_drawn(const soa_flexible *flexible)
{
    const int stride = page_node_stride(flexible);
    return flexible && stride > 0 ? (flexible->nodes + stride - 1) / stride : 0;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

int page_modes_body(const soa_model *model, int link)
{
    const int body = soa_model_link_body(model, link, NULL);
    const soa_body b = soa_model_body(model, body);
    return body >= 0 && b.link == link && b.flexible && b.nv > 0 ? body : SOA_NONE;
}

static bool has_modes(const soa_model *model)
{
    bool any = false;
    for (int k = 0; k < soa_model_bodies(model) && !any; k++) {
        const soa_body body = soa_model_body(model, k);
        any = body.flexible && body.nv > 0;
    }
    return any;
}

/* ---- points ------------------------------------------------------------------------------------- */

int page_points(const soa_model *model)
{
    int count = 2 * soa_model_closures(model);
    for (int k = 0; k < soa_model_links(model); k++) {
        count += page_nodes_drawn(soa_model_link(model, k)->flexible);
    }
    return count;
}

soa_status page_points_make(page *p)
{
    int at = 0;
    p->points = page_points(p->model);
    p->point = calloc((size_t)p->points + 1, sizeof *p->point);
    if (!p->point) {
        return SOA_E_MEMORY;
    }
    for (int i = 0; i < soa_model_closures(p->model); i++) {
        const soa_closure *c = soa_model_closure(p->model, i);
        p->point[at++] = (soa_point){ c->a, c->at_a, c->node_a };
        p->point[at++] = (soa_point){ c->b, c->at_b, c->node_b };
    }
    for (int k = 0; k < soa_model_links(p->model); k++) {
        const soa_flexible *flexible = soa_model_link(p->model, k)->flexible;
        for (int i = 0; i < page_nodes_drawn(flexible); i++) {
            p->point[at++] = (soa_point){ k, soa_pose_identity(), 1 + i * page_node_stride(flexible) };
        }
    }
    return soa_workspace_reserve(p->workspace, p->points, &p->error);
}

soa_status page_points_update(page *p, const double *q)
{
    return p->points == 0 ? SOA_OK
                          : soa_point_kinematics(p->model, p->workspace, p->points, p->point, 1, q, NULL, NULL,
                                p->number[PAGE_POINT], NULL, NULL, &p->error);
}

/* Modes are drawn so many times as large as they are. */
int PAGE(page_bend)(double times)
{
    the_page.bending = times;
    return 0;
}

/* As large as the library can place nodes, which are turned by less than pi. */
const double *page_drawn(page *p)
{
    double *q = p->number[PAGE_DRAWN];
    for (double times = p->bending; times > 1.0 && has_modes(p->model); times *= 0.5) {
        memcpy(q, p->number[PAGE_Q], (size_t)soa_model_nq(p->model) * sizeof *q);
        for (int k = 0; k < soa_model_bodies(p->model); k++) {
            const soa_body body = soa_model_body(p->model, k);
            for (int i = 0; body.flexible && i < body.nv; i++) {
                q[body.q + i] *= times;
            }
        }
        if (page_points_update(p, q) == SOA_OK) {
            return q;
        }
    }
    return p->number[PAGE_Q];
}

/* ---- forces -------------------------------------------------------------------------------------- */

soa_status page_forces_make(page *p)
{
    const int count = soa_forces_of_model(p->model, 0, NULL);
    soa_force *force = calloc((size_t)count + 1, sizeof *force);
    p->stored = calloc((size_t)count + (size_t)soa_model_nv(p->model) + 1, sizeof *p->stored);
    soa_status status = SOA_E_MEMORY;
    if (force && p->stored) {
        (void)soa_forces_of_model(p->model, count, force);
        status = soa_forces_new(p->model, count, force, NULL, &p->forces, &p->error);
    }
    free(force);
    return status;
}

soa_status page_forces_update(page *p)
{
    const int count = soa_forces_count(p->forces);
    const soa_force_report report = { .energy = p->stored };
    double *sum = &p->number[PAGE_ENERGY][2];
    *sum = 0.0;
    const soa_status status = soa_forces_apply(
        p->forces, 0.0, p->number[PAGE_Q], p->number[PAGE_V], p->stored + count, NULL, &report, &p->error);
    for (int i = 0; i < count; i++) {
        *sum += p->stored[i];
    }
    return status;
}

/* ---- loops --------------------------------------------------------------------------------------- */

enum { MOST_STEPS = 40 };

/* y = A^-1 y of a positive definite matrix, n x n. */
static void solve(int n, double *A, double *y)
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) {
                A[i * n + j] -= factor * A[k * n + j];
            }
            y[i] -= factor * y[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            y[k] -= A[k * n + j] * y[j];
        }
        y[k] /= A[k * n + k];
    }
}

/* d = J* y with (J J* + s) y = -e: of all steps that close the loops the shortest, s so small that only rows that depend on
 * others feel it. */
static void find_step(int rows, int nv, const double *J, double *e, double *A, double *d)
{
    double trace = 0.0;
    for (int i = 0; i < rows * nv; i++) {
        trace += J[i] * J[i];
    }
    for (int i = 0; i < rows * rows; i++) {
        A[i] = i / rows == i % rows ? 1e-10 * trace + 1e-30 : 0.0;
        for (int k = 0; k < nv; k++) {
            A[i] += J[i / rows * nv + k] * J[i % rows * nv + k];
        }
    }
    solve(rows, A, e);
    for (int i = 0; i < rows * nv; i++) {
        d[i % nv] -= J[i] * e[i / nv];
    }
}

/* The modes of all flexible links: they do not move. */
static void hold_modes(const soa_model *model, int rows, int nv, double *J)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        for (int i = 0; body.flexible && i < rows * body.nv; i++) {
            J[i / body.nv * nv + body.v + i % body.nv] = 0.0;
        }
    }
}

/* How far the loops are open at q, the errors of their rows into e; HUGE_VAL: it cannot be said. */
static double gap_at(page *p, const double *q, double *e)
{
    double most = 0.0;
    if (soa_closure_violation(p->closures, 1, q, NULL, e, NULL, NULL) != SOA_OK) {
        return HUGE_VAL;
    }
    for (int i = 0; i < soa_closures_rows(p->closures); i++) {
        most = fmax(most, fabs(e[i]));
    }
    return most;
}

/* Takes the step d from q, or a part of it, unless it opens the loops further. */
static bool take_step(page *p, const double *d, double *q, double *next, double *e, double *gap)
{
    for (double part = 1.0; part > 1e-3; part *= 0.5) {
        soa_integrate(p->model, q, d, part, next);
        const double less = gap_at(p, next, e);
        if (less < *gap) {
            *gap = less;
            memcpy(q, next, (size_t)soa_model_nq(p->model) * sizeof *q);
            return true;
        }
    }
    return false;
}

/* A unit of a mode moves a link far, so the shortest way to close loops would bend links: joints alone go first. What they cannot
 * reach is left. */
void page_close_by_joints(page *p)
{
    const int rows = soa_closures_rows(p->closures), nv = soa_model_nv(p->model);
    const size_t r = (size_t)rows, n = (size_t)nv, nq = (size_t)soa_model_nq(p->model);
    double *J = has_modes(p->model) && rows > 0 ? calloc(r * n + r * r + r + n + nq, sizeof *J) : NULL;
    if (!J) {
        return;
    }
    double *A = J + r * n, *e = A + r * r, *d = e + r, *next = d + n, *q = p->number[PAGE_Q];
    double gap = gap_at(p, q, e);
    for (int i = 0; i < MOST_STEPS && gap > 1e-12; i++) {
        memset(d, 0, n * sizeof *d);
        if (soa_closure_jacobian(p->closures, 1, q, J, NULL) != SOA_OK) {
            break;
        }
        hold_modes(p->model, rows, nv, J);
        find_step(rows, nv, J, e, A, d);
        if (!take_step(p, d, q, next, e, &gap)) {
            break;
        }
    }
    free(J);
}

/* ---- texts ---------------------------------------------------------------------------------------- */

/* How far the farthest node moves for a unit of mode i. */
static double farthest(const soa_flexible *f, int i)
{
    double most = 0.0;
    for (int node = 0; node < f->nodes; node++) {
        const double *u = f->shape + 6 * ((size_t)node * (size_t)f->modes + (size_t)i) + 3;
        most = fmax(most, hypot(hypot(u[0], u[1]), u[2]));
    }
    return most;
}

/* Modes and nodes of a link; *first is the number of its first point, and moves on. */
void page_write_flexible(page_writer *w, const soa_model *model, int link, int *first)
{
    const soa_flexible *f = soa_model_link(model, link)->flexible;
    double frequency[SOA_MAX_MODES] = { 0 }, reach[SOA_MAX_MODES];
    if (!f) {
        return;
    }
    (void)soa_flexible_frequencies(f, frequency, NULL, NULL); /* zeros: not known */
    for (int i = 0; i < f->modes; i++) {
        reach[i] = farthest(f, i);
    }
    const int drawn = page_nodes_drawn(f), stride = page_node_stride(f), body = page_modes_body(model, link);
    page_write(w, ",\"flexible\":{\"modes\":%d,\"nodes\":%d,\"stride\":%d,\"first\":%d,\"drawn\":%d,\"body\":%d",
        f->modes, f->nodes, stride, *first, drawn, body);
    page_write(w, ",\"frequency\":");
    page_write_numbers(w, f->modes, frequency);
    page_write(w, ",\"reach\":");
    page_write_numbers(w, f->modes, reach);
    page_write(w, ",\"position\":[");
    for (int i = 0; i < drawn; i++) {
        page_write(w, i > 0 ? "," : "");
        page_write_numbers(w, 3, f->position + 3 * (size_t)i * (size_t)stride);
    }
    page_write(w, "]}");
    *first += drawn;
}
