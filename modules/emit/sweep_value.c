/* emit/sweep_value.c - what is written, and a value at body k as one expression of C in the words of the spatial kernels. */
#include <string.h>

#include "core/number.h"
#include "emit/sweeps.h"

void sweep_refuse(sweep_writer *w, const char *what)
{
    if (w->refused[0] == '\0') {
        snprintf(w->refused, w->room, "%s; give '--model MODEL'", what);
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_factor(text *to, double x)
{
    char digits[SOA_NUMBER_SIZE];
    soa_number_write(digits, x);
    put(to, "%s%s", digits, strpbrk(digits, ".e") == NULL ? ".0" : "");
}

/* A step as the letter says: sweeps.h. */
static void put_as(sweep_writer *w, char letter, int step)
{
    if (letter == 'v' && sweep_step(w, step)->place.space != SOA_SPACE_JOINT) {
        w->words->value(w, step);
        return;
    }
    w->words->name(w, step);
    if (letter != 'n') {
        const bool variable = w->words->is_variable(w, step);
        put(w->to, letter == 'v' ? variable ? "" : " + body->v" : variable ? "[n]" : "[body->v + n]");
    }
}

void sweep_say(sweep_writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at != '\0';) {
        const int plain = (int)strcspn(at, "$");
        put(w->to, "%.*s", plain, at);
        at += plain;
        if (*at == '\0') {
            break;
        }
        if (at[1] == 's') {
            put(w->to, "%s", va_arg(arguments, const char *));
        } else if (at[1] == 'd') {
            put(w->to, "%d", va_arg(arguments, int));
        } else if (at[1] == 'f') {
            put_factor(w->to, va_arg(arguments, double));
        } else {
            put_as(w, at[1], va_arg(arguments, int));
        }
        at += 2;
    }
    va_end(arguments);
}

void sweep_put_equations(sweep_writer *w, int step, const char *before, const char *after)
{
    for (int i = 0; i < w->lines.lines.count; i++) {
        const soa_line *line = soa_line_at(&w->lines, i);
        if (line->step == step) {
            sweep_say(w, "$s$s = $s$s\n", before, line->left, line->right, after);
        }
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

void sweep_put_number_sum(sweep_writer *w, const soa_step *s, const char *number)
{
    for (int i = 0; i < s->count; i++) {
        const double f = s->factor[i], size = f < 0.0 ? -f : f;
        put(w->to, "%s", i == 0 ? f < 0.0 ? "-" : "" : f < 0.0 ? " - " : " + ");
        if (size != 1.0) {
            sweep_say(w, "$f * ", size);
        }
        sweep_say(w, number, s->input[i]);
    }
}

void sweep_put_joint_sum(sweep_writer *w, int step)
{
    sweep_say(w, LINE "for (int n = 0; n < body->nv; n++) {\n" INSIDE "$i = ", step);
    sweep_put_number_sum(w, sweep_step(w, step), "$i");
    put(w->to, ";\n" LINE "}\n");
}

/* A vector of a body at k. */
static void put_value(sweep_writer *w, int step)
{
    if (sweep_is_local(w, step)) {
        sweep_put_expression(w, step);
    } else {
        sweep_say(w, "$n[k]", step);
    }
}

const sweep_words sweep_own_words = { sweep_put_name, put_value, sweep_is_local };

/* a + b - 2 c by calls: the parts so far stand inside. */
static void put_parts(sweep_writer *w, const soa_step *s, int count, const char *type)
{
    const double factor = s->factor[count - 1];
    const int part = s->input[count - 1];
    const bool plain = factor == 1.0 || factor == -1.0;
    if (count == 1 && !plain) {
        sweep_say(w, "$s_scale($f, $v)", type, factor, part);
    } else if (count == 1) {
        sweep_say(w, "$s$s$v$s", factor < 0.0 ? type : "", factor < 0.0 ? "_neg(" : "", part, factor < 0.0 ? ")" : "");
    } else if (!plain) {
        sweep_say(w, "$s_scale_add($f, $v, ", type, factor, part);
        put_parts(w, s, count - 1, type);
        put(w->to, ")");
    } else {
        sweep_say(w, "$s_$s(", type, factor < 0.0 ? "sub" : "add");
        put_parts(w, s, count - 1, type);
        sweep_say(w, ", $v)", part);
    }
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
        sweep_say(w, "$s_scale($n[0], $v)", sweep_type(s), s->input[1], s->input[0]);
    } else {
        sweep_say(w, "$s$v)", sweep_function_of(s), s->input[0]);
    }
}
