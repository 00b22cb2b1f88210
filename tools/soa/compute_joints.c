/* compute_joints.c - the table of the joints of a state: what was given, and the vectors that were computed. */
#include <math.h>
#include <string.h>

#include "compute.h"

enum { CELL = TOOL_NUMBER };

const char *tool_velocity_name(const soa_model *model, int v)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        if (v >= body.v && v < body.v + body.nv) {
            const bool several = body.nv > 1 || body.flexible;
            const char *name = tool_body_joint(model, &body);
            return several ? tool_text("%s.%d", name, v - body.v) : name;
        }
    }
    return tool_text("%d", v);
}

static int name_width(const soa_model *model)
{
    int width = 8;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        const int n = tool_width(tool_body_joint(model, &body));
        width = n > width ? n : width;
    }
    return (width > 40 ? 40 : width) + 2;
}

/* The unit of coordinate r of a joint; "" for the numbers of a quaternion, whose velocities are in rad/s. */
static const char *unit_of(soa_joint_kind kind, int r)
{
    switch (kind) {
    case SOA_PRISMATIC:
        return "m";
    case SOA_CYLINDRICAL:
        return r == 0 ? "rad" : "m";
    case SOA_PLANAR:
        return r < 2 ? "m" : "rad";
    case SOA_SPHERICAL:
        return "quat";
    case SOA_FREE:
        return r < 4 ? "quat" : "m";
    default:
        return "rad";
    }
}

/* Where number v of a vector stands: everywhere, or only where the velocity is independent. -1: nowhere. */
static int place_of(const tool_batch *b, const tool_quantity *quantity, int state, int v)
{
    if (quantity->shape == SHAPE_JOINTS || b->system == NULL) {
        return v;
    }
    for (int i = 0; i < tool_system_dofs(b->system, state); i++) {
        if (tool_system_independent(b->system, state)[i] == v) {
            return i;
        }
    }
    return -1;
}

static bool in_table(const tool_quantity *quantity)
{
    return quantity->shape == SHAPE_VECTOR || quantity->shape == SHAPE_JOINTS;
}

static double gravity_of(const soa_model *model)
{
    double g[3];
    soa_model_gravity(model, g);
    return tool_largest(3, g);
}

static void put_vectors(const tool_call *call, const tool_batch *b, int state, int v, int count,
    const tool_quantity *const *list, double *const *value)
{
    for (int i = 0; i < count; i++) {
        if (in_table(list[i])) {
            const double *own = value[i] + (size_t)state * (size_t)b->nv;
            /* accelerations are sums that have gravity in them */
            const double floor = strcmp(list[i]->field, "vdot") == 0 ? gravity_of(b->model) : 0.0;
            const int at = place_of(b, list[i], state, v);
            const int n = list[i]->shape == SHAPE_JOINTS ? b->nv : tool_batch_dofs(b, state);
            if (at < 0) {
                fprintf(call->out, "%*s", CELL + 2, "-");
            } else {
                fprintf(call->out, "%*.5g", CELL + 2, tool_tidy(own[at], fmax(floor, tool_largest((size_t)n, own))));
            }
        }
    }
}

static void put_joint_head(const tool_call *call, int width, int count, const tool_quantity *const *list)
{
    tool_put(call, INK_FAINT, "  joint", width);
    fprintf(call->out, "%6s%*s%*s%*s%*s", "unit", CELL, "q", CELL, "v", CELL, "tau_in", CELL, "vdot_in");
    for (int i = 0; i < count; i++) {
        if (in_table(list[i])) {
            fprintf(call->out, "%*s", CELL + 2, list[i]->field);
        }
    }
    fputc('\n', call->out);
    fprintf(
        call->out, "%*s%6s%*s%*s%*s%*s", width, "", "", CELL, "unit", CELL, "unit/s", CELL, "N m, N", CELL, "unit/s^2");
    for (int i = 0; i < count; i++) {
        if (in_table(list[i])) {
            fprintf(call->out, "%*s", CELL + 2, list[i]->unit);
        }
    }
    fputc('\n', call->out);
}

/* One row per number of a joint: q, v, what was given, and the vectors asked for. */
void tool_put_joints(const tool_call *call, const tool_batch *b, int state, int count, const tool_quantity *const *list,
    double *const *value)
{
    const int width = name_width(b->model);
    const size_t q0 = (size_t)state * (size_t)b->nq, v0 = (size_t)state * (size_t)b->nv;
    put_joint_head(call, width, count, list);
    for (int k = 0; k < soa_model_bodies(b->model); k++) {
        const soa_body body = soa_model_body(b->model, k);
        for (int r = 0; r < body.nq; r++) {
            const char *name = r == 0 ? tool_body_joint(b->model, &body) : "";
            fputs("  ", call->out);
            tool_put(call, INK_PLAIN, tool_clean(name), width - 2);
            fprintf(call->out, "%6s%*.5g", body.flexible ? "mode" : unit_of(body.kind, r), CELL,
                tool_tidy(b->q[q0 + (size_t)(body.q + r)], 1.0));
            const size_t v = v0 + (size_t)(body.v + r);
            if (r < body.nv) {
                fprintf(call->out, "%*.5g%*.5g%*.5g", CELL, tool_tidy(b->v[v], 1.0), CELL, b->tau[v], CELL,
                    tool_tidy(b->vdot[v], 1.0));
                put_vectors(call, b, state, body.v + r, count, list, value);
            }
            fputc('\n', call->out);
        }
    }
}
