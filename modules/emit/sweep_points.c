/* emit/sweep_points.c - steps of points, and of all bodies at once. */
#include "emit/sweeps.h"

static void put_points_on(const sweep_writer *w, const char *body)
{
    put(w->to, "%sfor (int i = 0; i < points; i++) {\n%sif (point_body(&call, i) %s) {\n    %s", SWEEP_ON_BODY,
        SWEEP_INSIDE, body, SWEEP_INSIDE);
}

static void put_points_end(const sweep_writer *w)
{
    put(w->to, ";\n%s}\n%s}\n", SWEEP_INSIDE, SWEEP_ON_BODY);
}

void sweep_put_from_points(sweep_writer *w, int step)
{
    put(w->to, "%s", SWEEP_ON_BODY);
    sweep_put_name(w, step);
    put(w->to, "[k] = ");
    put(w->to, "force_zero();\n");
    put_points_on(w, "== k");
    sweep_put_name(w, step);
    put(w->to, "[k] = force_add(");
    sweep_put_name(w, step);
    put(w->to, "[k], phi(point_pose(&call, at, i, k), ");
    sweep_put_name(w, sweep_step(w, step)->input[0]);
    put(w->to, "[i]))");
    put_points_end(w);
}

static void put_point(const sweep_writer *w, int step)
{
    sweep_put_name(w, step);
    put(w->to, "[i]");
}

bool sweep_is_point_sum(const soa_step *s)
{
    return s->place.space == SOA_SPACE_POINT && (s->kind == SOA_STEP_SUM || s->kind == SOA_STEP_SCALE);
}

static void put_point_parts(sweep_writer *w, const soa_step *s, int count, const char *type)
{
    put(w->to, count > 1 ? "%s_scale_add(" : "%s_scale(", type);
    sweep_put_factor(w, s->factor[count - 1]);
    put(w->to, ", ");
    put_point(w, s->input[count - 1]);
    if (count > 1) {
        put(w->to, ", ");
        put_point_parts(w, s, count - 1, type);
    }
    put(w->to, ")");
}

void sweep_put_point_sum(sweep_writer *w, int step, const char *body)
{
    const soa_step *s = sweep_step(w, step);
    put_points_on(w, body);
    put_point(w, step);
    put(w->to, " = ");
    if (s->kind == SOA_STEP_SCALE) {
        put(w->to, "%s_scale(", sweep_type(s));
        sweep_put_name(w, s->input[1]);
        put(w->to, "[0], ");
        put_point(w, s->input[0]);
        put(w->to, ")");
    } else {
        put_point_parts(w, s, s->count, sweep_type(s));
    }
    put_points_end(w);
}

/* B* V, of the points on k. */
void sweep_put_to_points(sweep_writer *w, int step)
{
    put_points_on(w, "== k");
    put_point(w, step);
    put(w->to, " = phi_t(point_pose(&call, at, i, k), ");
    sweep_put_value(w, sweep_step(w, step)->input[0]);
    put(w->to, ")");
    put_points_end(w);
}

static void put_first(const sweep_writer *w, int step)
{
    sweep_put_name(w, step);
    put(w->to, "[0]");
}

void sweep_put_whole(sweep_writer *w, int step)
{
    static const char *const NUMBERS[] = { [SOA_SPACE_JOINT] = "model->nv",
        [SOA_SPACE_BODY] = "6 * model->bodies",
        [SOA_SPACE_POINT] = "6 * points",
        [SOA_SPACE_ONE] = "1" };
    const soa_step *s = sweep_step(w, step);
    const bool one = s->place.space == SOA_SPACE_ONE;
    if (s->kind == SOA_STEP_DOT && NUMBERS[sweep_step(w, s->input[0])->place.space] != NULL) {
        put(w->to, "    ");
        put_first(w, step);
        put(w->to, " = dot(%s, ", NUMBERS[sweep_step(w, s->input[0])->place.space]);
        put(w->to, "(const real *)");
        sweep_put_name(w, s->input[0]);
        put(w->to, ", (const real *)");
        sweep_put_name(w, s->input[1]);
        put(w->to, ");\n");
    } else if (one && (s->kind == SOA_STEP_SUM || s->kind == SOA_STEP_SCALE)) {
        put(w->to, "    ");
        put_first(w, step);
        put(w->to, " = ");
        if (s->kind == SOA_STEP_SUM) {
            sweep_put_number_sum(w, s, put_first);
        } else {
            put_first(w, s->input[0]);
            put(w->to, " * ");
            put_first(w, s->input[1]);
        }
        put(w->to, ";\n");
    } else {
        sweep_refuse(w, "rows of closures and matrices of all bodies are written for one robot");
    }
}
