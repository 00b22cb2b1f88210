/* compute_text.c - computed quantities for people. */
#include <math.h>

#include "compute.h"

enum { CELL = 12, WHOLE_ROWS = 60, WHOLE_COLUMNS = 12 };

/* Without the sign of a zero that rounding left. */
static double tidy(double x, double scale)
{
    return fabs(x) < 1e-14 * scale ? 0.0 : x;
}

static double largest(const double *value, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(value[i]));
    }
    return most;
}

static void put_row(const tool_call *call, const double *value, int count, double scale)
{
    for (int i = 0; i < count; i++) {
        fprintf(call->out, "%*.5g", CELL, tidy(value[i], scale));
    }
    fputc('\n', call->out);
}

void tool_put_matrix(const tool_call *call, const double *value, int rows, int cols)
{
    const double scale = largest(value, (size_t)rows * (size_t)cols);
    if (rows > WHOLE_ROWS || cols > WHOLE_COLUMNS) {
        fprintf(call->out, "  %d x %d, largest number %.5g; --json has all\n", rows, cols, scale);
        return;
    }
    for (int i = 0; i < rows; i++) {
        put_row(call, value + (size_t)i * (size_t)cols, cols, scale);
    }
}

void tool_put_title(const tool_call *call, const char *title)
{
    char clean[TOOL_CELL];
    fputc('\n', call->out);
    tool_put(call, INK_BOLD, tool_clean(clean, sizeof clean, title), 0);
    fputc('\n', call->out);
}

/* ---- joints ------------------------------------------------------------------------------ */

static int name_width(const soa_model *model)
{
    int width = 8;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const int n = tool_width(tool_joint_name(model, soa_model_body(model, k).link));
        width = n > width ? n : width;
    }
    return (width > 40 ? 40 : width) + 2;
}

/* One row per number of a joint: q, v, what was given, and the vectors asked for. */
static void put_joints(const tool_call *call, const tool_batch *b, int state, int count,
    const tool_quantity *const *list, double *const *value)
{
    const int width = name_width(b->model);
    tool_put(call, INK_FAINT, "  joint", width);
    fprintf(call->out, "%*s%*s%*s%*s", CELL, "q", CELL, "v", CELL, "tau_in", CELL, "vdot_in");
    for (int i = 0; i < count; i++) {
        if (list[i]->shape == SHAPE_VECTOR) {
            fprintf(call->out, "%*s", CELL + 2, list[i]->field);
        }
    }
    fputc('\n', call->out);
    const size_t q0 = (size_t)state * (size_t)b->nq, v0 = (size_t)state * (size_t)b->nv;
    for (int k = 0; k < soa_model_bodies(b->model); k++) {
        const soa_body body = soa_model_body(b->model, k);
        for (int r = 0; r < body.nq; r++) {
            char clean[TOOL_CELL];
            const char *name = r == 0 ? tool_joint_name(b->model, body.link) : "";
            fputs("  ", call->out);
            tool_put(call, INK_PLAIN, tool_clean(clean, sizeof clean, name), width - 2);
            fprintf(call->out, "%*.5g", CELL, b->q[q0 + (size_t)(body.q + r)]);
            const size_t v = v0 + (size_t)(body.v + r);
            if (r < body.nv) {
                fprintf(call->out, "%*.5g%*.5g%*.5g", CELL, b->v[v], CELL, b->tau[v], CELL, b->vdot[v]);
            }
            for (int i = 0; i < count && r < body.nv; i++) {
                if (list[i]->shape == SHAPE_VECTOR) {
                    fprintf(call->out, "%*.5g", CELL + 2, value[i][v]);
                }
            }
            fputc('\n', call->out);
        }
    }
}

/* ---- everything else ------------------------------------------------------------------------ */

static void put_bodies(const tool_call *call, const tool_batch *b, int state, const double *value)
{
    const size_t links = (size_t)b->links, s = (size_t)state, n = (size_t)b->states;
    tool_put_title(call, "links: position; velocity (angular, linear)");
    for (int k = 0, shown = 0; k < b->links; k++) {
        if (tool_is_virtual(b->model, k)) {
            continue;
        }
        if (shown++ == WHOLE_ROWS) {
            fprintf(call->out, "  ... and more; --json has all\n");
            return;
        }
        char clean[TOOL_CELL];
        const double *p = value + 12 * (links * s + (size_t)k) + 9;
        const double *V = value + 12 * links * n + 6 * (links * s + (size_t)k);
        fputs("  ", call->out);
        tool_put(call, INK_PLAIN, tool_clean(clean, sizeof clean, soa_model_link(b->model, k)->name), 22);
        fprintf(call->out, "%10.4f%10.4f%10.4f ;%9.4f%9.4f%9.4f,%9.4f%9.4f%9.4f\n", p[0], p[1], p[2], V[0], V[1], V[2],
            V[3], V[4], V[5]);
    }
}

static void put_jacobians(const tool_call *call, const tool_batch *b, const double *value)
{
    enum { SHOWN = 4 };
    for (int i = 0; i < b->jacobian_points.count; i++) {
        char title[TOOL_CELL];
        if (i == SHOWN) {
            fprintf(call->out, "\n... and the Jacobians of %d more links; choose with --at, or --json has all\n",
                b->jacobian_points.count - SHOWN);
            return;
        }
        snprintf(title, sizeof title, "jacobian of %s", b->jacobian_points.text[i]);
        tool_put_title(call, title);
        tool_put_matrix(call, value + 6 * (size_t)b->nv * (size_t)i, 6, b->nv);
    }
}

static void put_osim(const tool_call *call, const tool_batch *b, int state, const double *value)
{
    const int n = 6 * b->points.count;
    const size_t size = (size_t)n * (size_t)n;
    const double *inertia = value + size * (size_t)(b->states + state);
    tool_put_title(call, "inverse of the operational-space inertia");
    tool_put_matrix(call, value + size * (size_t)state, n, n);
    tool_put_title(call, "operational-space inertia");
    if (isnan(inertia[0])) {
        fputs("  none: the inverse is singular\n", call->out);
        return;
    }
    tool_put_matrix(call, inertia, n, n);
}

static void put_momentum(const tool_call *call, const double *value)
{
    static const char *const LABEL[] = { "centre of mass", "its velocity", "angular momentum", "linear momentum" };
    tool_put_title(call, "momentum");
    for (int i = 0; i < 4; i++) {
        fputs("  ", call->out);
        tool_put(call, INK_FAINT, LABEL[i], 18);
        put_row(call, value + 3 * i, 3, 1.0);
    }
}

/* Slice by slice; a large one only in outline. */
static void put_tensor(const tool_call *call, const double *value, int n)
{
    const size_t size = (size_t)n * (size_t)n;
    if (n > WHOLE_COLUMNS) {
        fprintf(call->out, "  %d x %d x %d, largest number %.5g; --json has all\n", n, n, n,
            largest(value, size * (size_t)n));
        return;
    }
    for (int i = 0; i < n; i++) {
        fprintf(call->out, "  [%d]\n", i);
        tool_put_matrix(call, value + size * (size_t)i, n, n);
    }
}

static void put_quantity(
    const tool_call *call, const tool_batch *b, const tool_quantity *quantity, int state, const double *value)
{
    const double *own = value + tool_quantity_size(b, quantity) * (size_t)state;
    switch (quantity->shape) {
    case SHAPE_VECTOR:
        break;
    case SHAPE_MATRIX:
        tool_put_title(call, quantity->field);
        tool_put_matrix(call, own, b->nv, b->nv);
        break;
    case SHAPE_TENSOR:
        tool_put_title(call, quantity->field);
        put_tensor(call, own, b->nv);
        break;
    case SHAPE_LINEAR:
        tool_linear_put(call, b, state, value);
        break;
    case SHAPE_BODIES:
        put_bodies(call, b, state, value);
        break;
    case SHAPE_JACOBIAN:
        put_jacobians(call, b, own);
        break;
    case SHAPE_OSIM:
        put_osim(call, b, state, value);
        break;
    case SHAPE_ENERGY:
        tool_put_title(call, "energy");
        fprintf(call->out, "  kinetic %.8g J, potential %.8g J\n", own[0], own[1]);
        break;
    case SHAPE_MOMENTUM:
        put_momentum(call, own);
        break;
    }
}

void tool_put_state(const tool_call *call, const tool_batch *batch, int state, int count,
    const tool_quantity *const *list, double *const *value)
{
    char title[TOOL_CELL];
    snprintf(title, sizeof title, "state %d", batch->first + state);
    tool_put(call, INK_BOLD, title, 0);
    fputc('\n', call->out);
    put_joints(call, batch, state, count, list, value);
    for (int i = 0; i < count; i++) {
        put_quantity(call, batch, list[i], state, value[i]);
    }
    fputc('\n', call->out);
}
