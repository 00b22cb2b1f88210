/* emit/sweep_points.c - steps of points, and of all bodies at once. */
#include "emit/sweeps.h"

/* One statement for each point i whose body is as the text says. */
#define ON_POINTS  LINE "for (int i = 0; i < points; i++) {\n" INSIDE "if (point_body(&call, i) $s) {\n    " INSIDE
#define END_POINTS ";\n" INSIDE "}\n" LINE "}\n"

void sweep_put_from_points(sweep_writer *w, int step)
{
    sweep_say(w,
        LINE "$n[k] = force_zero();\n" ON_POINTS
             "$n[k] = force_add($n[k], phi(point_pose(&call, at, i, k), $n[i]))" END_POINTS,
        step, "== k", step, step, sweep_step(w, step)->input[0]);
}

bool sweep_is_point_sum(const soa_step *s)
{
    return s->place.space == SOA_SPACE_POINT && (s->kind == SOA_STEP_SUM || s->kind == SOA_STEP_SCALE);
}

static void put_point_parts(sweep_writer *w, const soa_step *s, int count, const char *type)
{
    const int part = s->input[count - 1];
    sweep_say(w, count > 1 ? "$s_scale_add($f, $n[i]" : "$s_scale($f, $n[i]", type, s->factor[count - 1], part);
    if (count > 1) {
        put(w->to, ", ");
        put_point_parts(w, s, count - 1, type);
    }
    put(w->to, ")");
}

void sweep_put_point_sum(sweep_writer *w, int step, const char *body)
{
    const soa_step *s = sweep_step(w, step);
    sweep_say(w, ON_POINTS "$n[i] = ", body, step);
    if (s->kind == SOA_STEP_SCALE) {
        sweep_say(w, "$s_scale($n[0], $n[i])", sweep_type(s), s->input[1], s->input[0]);
    } else {
        put_point_parts(w, s, s->count, sweep_type(s));
    }
    put(w->to, END_POINTS);
}

/* B* V, of the points on k. */
void sweep_put_to_points(sweep_writer *w, int step)
{
    sweep_say(w, ON_POINTS "$n[i] = phi_t(point_pose(&call, at, i, k), $v)" END_POINTS, "== k", step,
        sweep_step(w, step)->input[0]);
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
        sweep_say(w, "    $n[0] = dot($s, (const real *)$n, (const real *)$n);\n", step,
            NUMBERS[sweep_step(w, s->input[0])->place.space], s->input[0], s->input[1]);
    } else if (one && s->kind == SOA_STEP_SUM) {
        sweep_say(w, "    $n[0] = ", step);
        sweep_put_number_sum(w, s, "$n[0]");
        put(w->to, ";\n");
    } else if (one && s->kind == SOA_STEP_SCALE) {
        sweep_say(w, "    $n[0] = $n[0] * $n[0];\n", step, s->input[0], s->input[1]);
    } else {
        sweep_refuse(w, "rows of closures and matrices of all bodies are written for one robot");
    }
}
