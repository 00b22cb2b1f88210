/* emit/sweep_value.c - a value at body k as one expression of C, in the words of the spatial kernels. */
#include <string.h>

#include "core/number.h"
#include "emit/sweeps.h"

void sweep_refuse(sweep_writer *w, const char *what)
{
    if (w->refused[0] == '\0') {
        snprintf(w->refused, w->room, "%s; give '--model MODEL'", what);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_force(const soa_step *s)
{
    return s->place.side == SOA_SIDE_FORCE;
}

const char *sweep_type(const soa_step *s)
{
    const bool six = s->place.space == SOA_SPACE_BODY || s->place.space == SOA_SPACE_POINT;
    return !six ? "real" : is_force(s) ? "force" : "motion";
}

void sweep_put_factor(sweep_writer *w, double x)
{
    char digits[SOA_NUMBER_SIZE];
    soa_number_write(digits, x);
    put(w->to, "%s%s", digits, strpbrk(digits, ".e") == NULL ? ".0" : "");
}

void sweep_put_joint(const sweep_writer *w, int step, const char *body)
{
    sweep_put_name(w, step);
    if (!sweep_is_local(w, step)) {
        put(w->to, " + %s->v", body);
    }
}

/* A vector of a body at k. */
void sweep_put_value(sweep_writer *w, int step)
{
    if (sweep_is_local(w, step)) {
        sweep_put_expression(w, step);
        return;
    }
    sweep_put_name(w, step);
    put(w->to, "[k]");
}

/* a + b - 2 c by calls: the parts so far stand inside. */
static void put_parts(sweep_writer *w, const soa_step *s, int count, const char *type)
{
    const double factor = s->factor[count - 1];
    const int part = s->input[count - 1];
    if (count == 1 && (factor == 1.0 || factor == -1.0)) {
        put(w->to, "%s%s", factor < 0.0 ? type : "", factor < 0.0 ? "_neg(" : "");
        sweep_put_value(w, part);
        put(w->to, factor < 0.0 ? ")" : "");
        return;
    }
    const bool plain = factor == 1.0 || factor == -1.0;
    put(w->to, "%s_%s(", type, count == 1 ? "scale" : !plain ? "scale_add" : factor < 0.0 ? "sub" : "add");
    if (!plain) {
        sweep_put_factor(w, factor);
        put(w->to, ", ");
        sweep_put_value(w, part);
        put(w->to, count > 1 ? ", " : "");
    }
    if (count > 1) {
        put_parts(w, s, count - 1, type);
    }
    if (plain) {
        put(w->to, ", ");
        sweep_put_value(w, part);
    }
    put(w->to, ")");
}

const char *sweep_function_of(const soa_step *s)
{
    if (s->kind != SOA_STEP_APPLY) {
        return NULL;
    }
    switch ((int)s->op) {
    case SOA_OP_M:
        return "rigid_mul(rigid_set(body->inertia), ";
    case SOA_OP_R:
        return "rigid_mul(at->R[k], ";
    case SOA_OP_P:
        return "articulated_mul(at->P[k], ";
    case SOA_OP_UPS:
        return "Ups_mul(at->Y[k], ";
    case SOA_OP_H:
        return s->adjoint ? "joint_motion(at, body, " : NULL;
    case SOA_OP_G:
        return s->adjoint ? NULL : "G_mul(at, body, ";
    default:
        return NULL;
    }
}

bool sweep_is_expression(const soa_step *s)
{
    return s->place.space == SOA_SPACE_BODY &&
           (s->kind == SOA_STEP_SUM || s->kind == SOA_STEP_SCALE || sweep_function_of(s));
}

void sweep_put_expression(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    if (s->kind == SOA_STEP_SUM) {
        put_parts(w, s, s->count, sweep_type(s));
    } else if (s->kind == SOA_STEP_SCALE) {
        put(w->to, "%s_scale(", sweep_type(s));
        sweep_put_name(w, s->input[1]);
        put(w->to, "[0], ");
        sweep_put_value(w, s->input[0]);
        put(w->to, ")");
    } else {
        put(w->to, "%s", sweep_function_of(s));
        if (sweep_step(w, s->input[0])->place.space == SOA_SPACE_JOINT) {
            sweep_put_joint(w, s->input[0], "body");
        } else {
            sweep_put_value(w, s->input[0]);
        }
        put(w->to, ")");
    }
}
