/* compute_text.c - computed quantities for people. */
#include <math.h>
#include <string.h>

#include "compute.h"

enum { CELL = TOOL_NUMBER, WHOLE_ROWS = 60 };

/* Zero where nothing but rounding is left of numbers as large as scale. */
double tool_tidy(double x, double scale)
{
    return fabs(x) < 1e-13 * scale + 1e-15 ? 0.0 : x; /* never -0 */
}

double tool_largest(size_t count, const double *x)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static void put_row(const tool_call *call, const double *value, int count, double scale)
{
    for (int i = 0; i < count; i++) {
        fprintf(call->out, "%*.5g", CELL, tool_tidy(value[i], scale));
    }
    fputc('\n', call->out);
}

typedef const char *row_name(const void *context, int row);

/* Columns of the longest name. */
static int names_width(int rows, row_name *name, const void *context)
{
    int width = 0;
    for (int i = 0; i < rows && name != NULL; i++) {
        const int n = tool_width(tool_clean(name(context, i))) + 2;
        width = n > width ? n : width;
    }
    return width;
}

/* A matrix, rows with names if there are any; one that is wider than the screen only in outline. */
static void put_named(
    const tool_call *call, const double *value, int rows, int cols, row_name *name, const void *context)
{
    const double scale = tool_largest((size_t)rows * (size_t)cols, value);
    const int width = names_width(rows, name, context);
    if (tool_value(call, "all") == NULL && (rows > WHOLE_ROWS || cols * CELL + width > tool_columns(call))) {
        fprintf(
            call->out, "  %d x %d, largest number %.5g; --all prints it, --json has every digit\n", rows, cols, scale);
        return;
    }
    for (int i = 0; i < rows; i++) {
        if (name != NULL) {
            fputs("  ", call->out);
            tool_put(call, INK_FAINT, tool_clean(name(context, i)), width - 2);
        }
        put_row(call, value + (size_t)i * (size_t)cols, cols, scale);
    }
}

void tool_put_matrix(const tool_call *call, const double *value, int rows, int cols)
{
    put_named(call, value, rows, cols, NULL, NULL);
}

void tool_put_title(const tool_call *call, const char *title)
{
    fputc('\n', call->out);
    tool_put(call, INK_BOLD, tool_clean(title), 0);
    fputc('\n', call->out);
}

/* ---- names --------------------------------------------------------------------------------- */

/* A state of a batch: its rows are the independent velocities. */
typedef struct state_of {
    const tool_batch *batch;
    int state;
} state_of;

static const char *independent_name(const void *context, int row)
{
    const state_of *s = context;
    const tool_system *system = s->batch->system;
    const int v = system != NULL ? tool_system_independent(system, s->state)[row] : row;
    return tool_velocity_name(s->batch->model, v);
}

static const char *spatial_name(const void *context, int row)
{
    static const char *const NAME[] = { "turn x", "turn y", "turn z", "x", "y", "z" };
    (void)context;
    return NAME[row % 6];
}

static void put_headed(const tool_call *call, const char *name, const char *unit)
{
    tool_put_title(call, unit[0] != '\0' ? tool_text("%.120s [%s]", name, unit) : tool_text("%.120s", name));
}

/* ---- everything else ------------------------------------------------------------------------ */

/* The quaternion w x y z of a rotation, w >= 0. */
static void quaternion_of(const double R[9], double q[4])
{
    const double trace = R[0] + R[4] + R[8];
    int largest_at = 0;
    double square[4] = { trace, R[0], R[4], R[8] };
    for (int i = 1; i < 4; i++) {
        largest_at = square[i] > square[largest_at] ? i : largest_at;
    }
    const double s = 2.0 * sqrt(fmax(0.0, 1.0 + 2.0 * square[largest_at] - trace)); /* 4 of the largest number */
    const double w[4] = { s / 4.0, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s };
    const double x[4] = { w[1], s / 4.0, (R[1] + R[3]) / s, (R[2] + R[6]) / s };
    const double y[4] = { w[2], x[2], s / 4.0, (R[5] + R[7]) / s };
    const double z[4] = { w[3], x[3], y[3], s / 4.0 };
    const double *const choice[4] = { w, x, y, z };
    for (int i = 0; i < 4; i++) {
        const double value = choice[largest_at][i];
        q[i] = choice[largest_at][0] < 0.0 ? -value : value;
    }
}

/* A line per link: its name and count numbers that `get` gives. */
static void put_links(const tool_call *call, const tool_batch *b, const double *from, size_t step, int count)
{
    for (int k = 0, shown = 0; k < b->links; k++) {
        if (tool_is_virtual(b->model, k)) {
            continue;
        }
        if (shown++ == WHOLE_ROWS && tool_value(call, "all") == NULL) {
            fprintf(call->out, "  ... and more; --all shows them\n");
            return;
        }
        double number[7];
        const double *at = from + step * (size_t)k;
        if (step == 12) {
            memcpy(number, at + 9, 3 * sizeof *number);
            quaternion_of(at, number + 3);
        } else {
            memcpy(number, at, 6 * sizeof *number);
        }
        fputs("  ", call->out);
        tool_put(call, INK_PLAIN, tool_clean(soa_model_link(b->model, k)->name), 22);
        for (int i = 0; i < count; i++) {
            fprintf(call->out, "%s%10.5f", i == 3 ? "  " : "", tool_tidy(number[i], 1.0));
        }
        fputc('\n', call->out);
    }
}

static void put_bodies(const tool_call *call, const tool_batch *b, int state, const double *value)
{
    const size_t links = (size_t)b->links, s = (size_t)state, n = (size_t)b->states;
    tool_put_title(call, "links: position x y z [m], orientation as a quaternion w x y z");
    put_links(call, b, value + 12 * links * s, 12, 7);
    tool_put_title(call, "links: angular velocity [rad/s], velocity of the origin [m/s], world axes");
    put_links(call, b, value + 12 * links * n + 6 * links * s, 6, 6);
    tool_put_title(call, "links: angular acceleration [rad/s^2], acceleration of the origin [m/s^2]");
    put_links(call, b, value + 18 * links * n + 6 * links * s, 6, 6);
}

static void put_jacobians(const tool_call *call, const tool_batch *b, int n, const char *unit, const double *value)
{
    enum { SHOWN = 4 };
    for (int i = 0; i < b->jacobian_points.count; i++) {
        if (i == SHOWN && tool_value(call, "all") == NULL) {
            fprintf(call->out, "\n... and the Jacobians of %d more links; choose with --at, or give --all\n",
                b->jacobian_points.count - SHOWN);
            return;
        }
        put_headed(call, tool_text("jacobian of %.100s", b->jacobian_points.text[i]), unit);
        put_named(call, value + 6 * (size_t)n * (size_t)i, 6, n, spatial_name, NULL);
    }
}

static void put_osim(const tool_call *call, const tool_batch *b, int state, const double *value)
{
    const int n = 6 * b->points.count;
    const size_t size = (size_t)n * (size_t)n;
    const double *inertia = value + size * (size_t)(b->states + state);
    put_headed(call, "inverse of the operational-space inertia", "1/kg, 1/(kg m), 1/(kg m^2)");
    put_named(call, value + size * (size_t)state, n, n, spatial_name, NULL);
    put_headed(call, "operational-space inertia", "kg, kg m, kg m^2");
    if (isnan(inertia[0])) {
        fputs("  none: the inverse is singular\n", call->out);
        return;
    }
    put_named(call, inertia, n, n, spatial_name, NULL);
}

static void put_momentum(const tool_call *call, const double *value)
{
    static const char *const LABEL[] = { "centre of mass [m]", "its velocity [m/s]", "angular [kg m^2/s]",
        "linear [kg m/s]" };
    tool_put_title(call, "momentum");
    for (int i = 0; i < 4; i++) {
        fputs("  ", call->out);
        tool_put(call, INK_FAINT, LABEL[i], 22);
        put_row(call, value + 3 * i, 3, 1.0);
    }
}

/* Slice by slice; a large one only in outline. */
static void put_tensor(const tool_call *call, const state_of *of, const double *value, int n)
{
    const size_t size = (size_t)n * (size_t)n;
    if (n * CELL > tool_columns(call) && tool_value(call, "all") == NULL) {
        fprintf(call->out, "  %d x %d x %d, largest number %.5g; --all prints it, --json has every digit\n", n, n, n,
            tool_largest(size * (size_t)n, value));
        return;
    }
    for (int i = 0; i < n; i++) {
        fprintf(call->out, "  [%s]\n", tool_clean(independent_name(of, i)));
        put_named(call, value + size * (size_t)i, n, n, independent_name, of);
    }
}

static void put_quantity(
    const tool_call *call, const tool_batch *b, const tool_quantity *quantity, int state, const double *value)
{
    const double *own = value + tool_quantity_size(b, quantity) * (size_t)state;
    const int n = tool_batch_dofs(b, state);
    const state_of of = { b, state };
    switch (quantity->shape) {
    case SHAPE_JOINTS:
    case SHAPE_VECTOR:
        break;
    case SHAPE_MATRIX:
        put_headed(call, quantity->field, quantity->unit);
        put_named(call, own, n, n, independent_name, &of);
        break;
    case SHAPE_TENSOR:
        put_headed(call, quantity->field, quantity->unit);
        put_tensor(call, &of, own, n);
        break;
    case SHAPE_LINEAR:
        tool_linear_put(call, b, state, value);
        break;
    case SHAPE_BODIES:
        put_bodies(call, b, state, value);
        break;
    case SHAPE_JACOBIAN:
        put_jacobians(call, b, n, quantity->unit, own);
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
    case SHAPE_GRASP:
        tool_grasp_put(call, b, own);
        break;
    }
}

void tool_put_state(const tool_call *call, const tool_batch *batch, int state, int count,
    const tool_quantity *const *list, double *const *value)
{
    tool_put(call, INK_BOLD, tool_text("state %d", batch->first + state), 0);
    fputc('\n', call->out);
    tool_put_joints(call, batch, state, count, list, value);
    for (int i = 0; i < count; i++) {
        put_quantity(call, batch, list[i], state, value[i]);
    }
}
