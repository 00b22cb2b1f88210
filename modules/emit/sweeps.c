/* emit/sweeps.c - expressions without a model: a file of C with the sweeps that `soa explain` prints. */
#include "expr/program.h"

#include <string.h>

#include "core/error.h"
#include "emit/sweeps.h"

static const char *const SWEEP_COUNT[] = { [SOA_SPACE_JOINT] = "model->nv",
    [SOA_SPACE_BODY] = "model->bodies",
    [SOA_SPACE_POINT] = "points",
    [SOA_SPACE_ONE] = "1",
    [SOA_SPACE_CONSTRAINT] = "0" };

/* ---- the signature -------------------------------------------------------------------------------- */

static void put_output_name(sweep_writer *w, int output)
{
    const soa_graph_output *out = soa_graph_output_at(w->graph, output);
    if (!sweep_is_copied(w, output)) {
        sweep_put_name(w, out->step);
        return;
    }
    sweep_put_clean(w, "", out->name, output);
    put(w->to, "_out");
}

static void put_signature(sweep_writer *w)
{
    const soa_graph *g = w->graph;
    put(w->to, "bool %s(const soa_model *model, void *work, const double *q", w->name);
    if (g->velocities) {
        put(w->to, ", const double *beta");
    }
    for (int i = 0; i < g->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
        if (s->kind == SOA_STEP_INPUT && s->matrix > 0) {
            sweep_refuse(w, "traces, determinants and unit vectors are written for one robot");
        }
        if (s->kind == SOA_STEP_INPUT && sweep_is_used(w, i) && !(g->velocities && strcmp(s->name, "beta") == 0)) {
            sweep_say(w, ", const $s *$n$s", sweep_type(s), i, s->place.space == SOA_SPACE_BODY ? "_in" : "");
        }
    }
    put(w->to, g->points ? ",\n    int points, const soa_point *point" : "");
    for (int i = 0; i < g->outputs.count; i++) {
        put(w->to, ", %s *", sweep_type(sweep_step(w, soa_graph_output_at(g, i)->step)));
        put_output_name(w, i);
    }
    put(w->to, ")");
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static void put_heading(const sweep_writer *w, const module_emit_request *request)
{
    soa_page cost = soa_page_on(&w->graph->terms->allocator);
    soa_put_cost(w->graph, &cost);
    put(w->to, "// ");
    for (const char *c = request->what; *c != '\0'; c++) {
        put(w->to, "%c", *c == '\n' || *c == '\\' ? ' ' : *c);
    }
    put(w->to, "\n//\n// Written by soa %s for any tree of rigid links%s.\n", SOA_VERSION,
        request->plain ? " without rotors" : "");
    put(w->to, "// %s", soa_page_text(&cost));
    soa_page_clear(&cost);
    put(w->to,
        "//\n// k is a body, p its parent, j a body on it. Vectors of bodies that are given or taken are in the axes "
        "and at\n"
        "// the origin of the link's frame, those of points in the axes of the world. work: %s_size bytes, aligned to\n"
        "// SOA_ALIGNMENT. False: some D is singular, or a link is flexible.\n"
        "// Build with the folders include and src of soa among those of headers, and with -ffp-contract=off.\n"
        "#define LANES 1\n#include \"operator/vectors.kernel.h\"\n\n"
        "#pragma GCC diagnostic ignored \"-Wunused-function\" /* kernels beside those that are used */\n\n",
        w->name);
}

static bool has_kind(const sweep_writer *w, soa_step_kind kind, int op)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
        if (sweep_is_used(w, i) && s->kind == kind && (op < 0 || (int)s->op == op)) {
            return true;
        }
    }
    return false;
}

static void put_helpers(const sweep_writer *w)
{
    put(w->to,
        "static void *take(char **room, size_t bytes)\n{\n    void *taken = *room;\n    *room += bytes;\n    return "
        "taken;\n}\n\n");
    if (has_kind(w, SOA_STEP_DOT, -1)) {
        put(w->to, "static real dot(int n, const real *x, const real *y)\n{\n    real sum = 0.0;\n"
                   "    for (int i = 0; i < n; i++) {\n        sum += x[i] * y[i];\n    }\n    return sum;\n}\n\n");
    }
    if (has_kind(w, SOA_STEP_APPLY, SOA_OP_GAMMA)) {
        put(w->to,
            "// Gamma(k,j) x(j): 0 without a rotor.\n"
            "static force gear_force(const soa_body_data *child, const real *x)\n{\n    force f = force_zero();\n"
            "    if (child->geared) {\n        f.n = vec3_scale(x[0], vec3_set(child->rest->gear));\n    }\n"
            "    return f;\n}\n\n");
    }
}

static void put_size(const sweep_writer *w)
{
    int arrays[SOA_SPACE_ONE + 1] = { 0 };
    for (int i = 0; i < w->graph->steps.count; i++) {
        arrays[sweep_step(w, i)->place.space] += sweep_is_array(w, i);
    }
    put(w->to,
        "size_t %s_size(const soa_model *model, int points);\n\nsize_t %s_size(const soa_model *model, int "
        "points)\n{\n",
        w->name, w->name);
    put(w->to,
        "    vars unused;\n    const size_t six = %d * (size_t)model->bodies + %d * (size_t)points;\n"
        "    const size_t numbers = %d * (size_t)model->nv + %d;\n"
        "    return vars_place(model, 0, NULL, &unused) + (6 * six + numbers) * sizeof(real) +\n"
        "           2 * (size_t)model->bodies * sizeof(int);\n}\n\n",
        arrays[SOA_SPACE_BODY], arrays[SOA_SPACE_POINT], arrays[SOA_SPACE_JOINT], arrays[SOA_SPACE_ONE]);
}

/* Arrays, the bodies on each body, the state. */
static void put_begin(sweep_writer *w)
{
    const soa_graph *g = w->graph;
    put(w->to, "{\n    soa_call call = { .model = model, .work = work, .q.at = q, %s%s.count = 1, .spacing = 1 };\n",
        g->velocities ? ".v.at = beta, " : "", g->points ? ".point = point, .points = points, " : "");
    put(w->to,
        "    if (model->flexible) {\n        return false;\n    }\n    vars place;\n    memset(work, 0, %s_size(model, "
        "%s));\n"
        "    char *room = (char *)work + vars_place(model, 0, (char *)work, &place);\n    const vars *at = &place;\n",
        w->name, g->points ? "points" : "0");
    for (int i = 0; i < g->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
        if (sweep_is_array(w, i)) {
            sweep_say(w, "    $s *$n = take(&room, (size_t)$s * sizeof($s));\n", sweep_type(s), i,
                SWEEP_COUNT[s->place.space], sweep_type(s));
        } else if (soa_step_is_state(s, SOA_STATE_V) && (s->uses > 0 || sweep_output_of(w, i) >= 0)) {
            put(w->to, "    motion *V = at->V;\n");
        }
    }
    put(w->to, "    int *child = take(&room, (size_t)model->bodies * sizeof(int)); // the last body on each\n"
               "    int *sibling = take(&room, (size_t)model->bodies * sizeof(int)); // the one before it\n"
               "    for (int k = 0; k < model->bodies; k++) {\n        child[k] = sibling[k] = -1;\n"
               "        if (model->body[k].parent >= 0) {\n            sibling[k] = child[model->body[k].parent];\n"
               "            child[model->body[k].parent] = k;\n        }\n    }\n"
               "    call_begin(&call);\n    position_sweep(&call, at); // phi(p,k), H(k)\n");
    for (int i = 0; i < g->outputs.count; i++) { /* of points on the world */
        const int step = soa_graph_output_at(g, i)->step;
        if (!sweep_is_copied(w, i) && sweep_step(w, step)->place.space == SOA_SPACE_POINT) {
            sweep_say(w, "    memset($n, 0, (size_t)points * sizeof($s));\n", step, sweep_type(sweep_step(w, step)));
        }
    }
    put(w->to, g->points ? "    placement_sweep(&call, at); // the bodies in the world\n" : "");
}

/* Vectors of bodies between the frames of links and those of the sweeps. */
static void put_frames_in(sweep_writer *w)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
        if (s->kind == SOA_STEP_INPUT && s->place.space == SOA_SPACE_BODY && sweep_is_used(w, i)) {
            sweep_say(w,
                "    for (int k = 0; k < model->bodies; k++) {\n" LINE
                "$n[k] = $s(pose_set(&model->body[k].rest->frame), $n_in[k]);\n    }\n",
                i, s->place.side == SOA_SIDE_FORCE ? "phi" : "phi_t_inv", i);
        }
    }
}

static void put_copies(sweep_writer *w)
{
    for (int i = 0; i < w->graph->outputs.count; i++) {
        const int step = soa_graph_output_at(w->graph, i)->step;
        const soa_step *s = sweep_step(w, step);
        if (!sweep_is_copied(w, i)) {
            continue;
        }
        put(w->to, "    for (int k = 0; k < %s; k++) {\n" LINE, SWEEP_COUNT[s->place.space]);
        put_output_name(w, i);
        if (s->place.space == SOA_SPACE_BODY) {
            sweep_say(w, "[k] = $s(pose_set(&model->body[k].rest->frame), $n[k]);\n    }\n",
                s->place.side == SOA_SIDE_FORCE ? "phi_inv" : "phi_t", step);
        } else {
            sweep_say(w, "[k] = $n[k];\n    }\n", step);
        }
    }
}

/* ---- sweeps ------------------------------------------------------------------------------------------------ */

static bool is_in(const sweep_writer *w, int step, int sweep, bool whole)
{
    const soa_step *s = sweep_step(w, step);
    return sweep_is_used(w, step) && sweep_of_step(w, step) == sweep && s->kind != SOA_STEP_INPUT &&
           s->kind != SOA_STEP_ZERO && (soa_step_reach(w->graph, step) == SOA_REACH_WHOLE) == whole;
}

/* What is needed before a sweep begins. */
static void put_before(sweep_writer *w, int sweep)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        if (!is_in(w, i, sweep, false)) {
            continue;
        }
        if (soa_step_is_state(sweep_step(w, i), SOA_STATE_ARTICULATED)) {
            put(w->to, "    for (int k = 0; k < model->bodies; k++) {\n"
                       "        at->P[k] = articulated_from_rigid(rigid_set(model->body[k].inertia));\n    }\n");
        } else if (sweep_is_point_sum(sweep_step(w, i))) {
            put(w->to, "    {\n");
            sweep_put_point_sum(w, i, "< 0");
            put(w->to, "    }\n");
        }
    }
}

static void put_sweep(sweep_writer *w, int sweep)
{
    bool any = false;
    for (int i = 0; i < w->graph->steps.count; i++) {
        any = any || is_in(w, i, sweep, false);
    }
    if (any) {
        put(w->to, "\n");
        put_before(w, sweep);
        put(w->to,
            "    for (int k = %s) { // %s\n        const soa_body_data *body = &model->body[k];\n"
            "        const int p = body->parent;\n        (void)p;\n",
            soa_sweep_inward(&w->graph->schedule, sweep) ? "model->bodies - 1; k >= 0; k--"
                                                         : "0; k < model->bodies; k++",
            soa_sweep_inward(&w->graph->schedule, sweep) ? "inward" : "outward");
    }
    for (int i = 0; i < w->graph->steps.count; i++) {
        if (is_in(w, i, sweep, false) && !sweep_is_nested(w, i)) {
            sweep_put_equations(w, i, LINE "// ", "");
            sweep_put_step(w, i);
        }
    }
    put(w->to, any ? "    }\n" : "");
    for (int i = 0; i < w->graph->steps.count; i++) {
        if (is_in(w, i, sweep, true)) {
            sweep_put_equations(w, i, "    // ", "");
            sweep_put_whole(w, i);
        }
    }
}

static void put_file(sweep_writer *w, const module_emit_request *request)
{
    put_heading(w, request);
    put_helpers(w);
    put_size(w);
    put_signature(w);
    put(w->to, ";\n\n");
    put_signature(w);
    put(w->to, "\n");
    put_begin(w);
    put_frames_in(w);
    for (int sweep = SOA_BEFORE; sweep < w->graph->schedule.sweeps; sweep++) {
        put_sweep(w, sweep);
    }
    put_copies(w);
    put(w->to, "    return call.failed[0] < 0;\n}\n");
}

/* ---- the graph of the expressions ---------------------------------------------------------------------------- */

static soa_status add_statements(const module_emit_request *request, soa_graph *graph)
{
    const int count = soa_program_statements(request->program);
    soa_status status = SOA_OK;
    int unnamed = 0;
    for (int i = request->first; i < count && status == SOA_OK; i++) {
        const soa_statement *s = soa_program_at(request->program, i);
        char name[16] = "y";
        if (s->kind == SOA_STATEMENT_DECLARATION) {
            continue;
        }
        if (s->right != NULL) {
            return soa_fail(
                graph->error, SOA_E_ARGUMENT, -1, "an equation is proved, not computed; give an expression");
        }
        const bool named = s->name != NULL && s->name[0] != '\0';
        unnamed += !named;
        if (unnamed > 1) {
            snprintf(name, sizeof name, "y%d", unnamed);
        }
        const char *kept = soa_arena_text(graph->arena, named ? s->name : name);
        status = kept == NULL ? soa_fail_memory(graph->error) : soa_graph_add(graph, kept, s->term);
    }
    return status;
}

char *sweeps_emit(const module_emit_request *request, char *why, size_t size)
{
    soa_error error;
    soa_error_clear(&error);
    text to = { NULL, 0, 0, false };
    soa_arena arena = soa_arena_on(&request->program->terms->allocator);
    soa_graph graph = soa_graph_begin(request->program->terms, &arena, &error);
    graph.rotors = true;
    soa_status status = add_statements(request, &graph);
    SOA_NEXT(status, soa_graph_plan(&graph));
    if (status != SOA_OK) {
        snprintf(why, size, "%s", error.text[0] != '\0' ? error.text : "the expression cannot be written");
    } else {
        sweep_writer w = { &to, &graph, soa_recursions_of(&graph, SOA_ASCII),
            request->name ? request->name : "expression", why, size, &sweep_own_words, NULL };
        if (!w.lines.failed) {
            put_file(&w, request);
        }
        to.failed = to.failed || w.lines.failed;
        if (to.failed && why[0] == '\0') {
            snprintf(why, size, "out of memory");
        }
    }
    soa_arena_free(&arena);
    if (why[0] != '\0') {
        free(to.at);
        return NULL;
    }
    return to.at;
}
