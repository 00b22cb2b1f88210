/* emit/kernel_sweeps.c - operators on a vector as sweeps in place: kernels of the library, in lanes.
 *
 * Each statement is one operator, or its adjoint, on a declared vector; its name is that of the function. A vector of joints is x,
 * forces of bodies are f, motions of bodies are V; what is of the same type as the argument takes its place. */
#include "expr/program.h"

#include <string.h>

#include "core/error.h"
#include "emit/sweeps.h"

/* What a vector is called. */
static const char *letter_of(const soa_step *s)
{
    return s->place.space == SOA_SPACE_JOINT ? "x" : s->place.side == SOA_SIDE_FORCE ? "f" : "V";
}

/* "f[k]", or of a joint "x + body->v". */
static void put_at(text *to, const soa_step *s)
{
    put(to, s->place.space == SOA_SPACE_JOINT ? "%s + body->v" : "%s[k]", letter_of(s));
}

#define LINE "        "

/* ---- steps that look at the same body alone --------------------------------------------------------------- */

/* By way of the numbers of a joint: tau = G H, and I - tau. */
static void put_across(text *to, const soa_step *s, const char *type)
{
    const char *y = letter_of(s);
    put(to, LINE "real y[SOA_JOINT_MAX_NV];\n" LINE "%s(at, body, %s[k], y);\n" LINE "%s[k] = ",
        s->adjoint ? "G_t_mul" : "joint_force", y, y);
    const char *back = s->adjoint ? "joint_motion(at, body, y)" : "G_mul(at, body, y)";
    if (s->op == SOA_OP_TAUBAR) {
        put(to, "%s_sub(%s[k], %s);\n", type, y, back);
    } else {
        put(to, "%s;\n", back);
    }
}

static void put_local(text *to, const soa_step *x, const soa_step *s)
{
    if (s->op == SOA_OP_TAU || s->op == SOA_OP_TAUBAR) {
        put_across(to, s, sweep_type(s));
    } else if (s->op == SOA_OP_D || s->op == SOA_OP_D_INV) {
        put(to,
            LINE "real y[SOA_JOINT_MAX_NV];\n" LINE "%s(at, body, x + body->v, y);\n" LINE
                 "memcpy(x + body->v, y, (size_t)body->nv * sizeof *y);\n",
            s->op == SOA_OP_D ? "D_mul" : "D_inv_mul");
    } else if (s->op == SOA_OP_ARM) {
        put(to, LINE "for (int i = 0; i < body->nv; i++) {\n" LINE
                     "    x[body->v + i] = body->armature * x[body->v + i];\n" LINE "}\n");
    } else if (sweep_function_of(s) != NULL) {
        put(to, LINE "%s[k] = %s", letter_of(s), sweep_function_of(s));
        put_at(to, x);
        put(to, ");\n");
    } else { /* H f, G* V */
        put(to, LINE "%s(at, body, %s[k], x + body->v);\n", s->op == SOA_OP_H ? "joint_force" : "G_t_mul",
            letter_of(x));
    }
}

/* ---- steps from body to body -------------------------------------------------------------------------------- */

/* What body k hands to its parent, or takes from it. */
static void put_crossing(text *to, const soa_step *s, const char *vector)
{
    const bool rigid = s->op == SOA_OP_PHI || s->op == SOA_OP_E_PHI;
    if (rigid) {
        put(to, s->adjoint ? "phi_t(at->X[k], %s)" : "phi(at->X[k], %s)", vector);
    } else {
        put(to, s->adjoint ? "psi_t(at, body, k, %s)" : "psi(at, body, k, %s)", vector);
    }
}

static void put_run(text *to, const soa_step *s)
{
    put(to, LINE "if (p >= 0) {\n" LINE "    ");
    put(to, s->adjoint ? "V[k] = motion_add(V[k], " : "f[p] = force_add(f[p], ");
    put_crossing(to, s, s->adjoint ? "V[p]" : "f[k]");
    put(to, ");\n" LINE "}\n");
}

/* Of the parent alone, or to it: what a body has is given away first. */
static void put_near(text *to, const soa_step *s)
{
    if (s->op == SOA_OP_GAMMA) {
        put(to, s->adjoint ? LINE "for (int i = 0; i < body->nv; i++) {\n" LINE
                                  "    x[body->v + i] = body->geared ? vec3_dot(vec3_set(body->rest->gear), V[p].w) : "
                                  "real_set(0.0);\n" LINE "}\n"
                           : LINE "f[k] = force_zero();\n" LINE "if (body->geared) {\n" LINE
                                  "    f[p].n = vec3_scale_add(x[body->v], vec3_set(body->rest->gear), f[p].n);\n" LINE
                                  "}\n");
    } else if (s->op == SOA_OP_K) {
        put(to, s->adjoint ? LINE "K_t_mul(at, body, k, p < 0 ? motion_zero() : V[p], x + body->v);\n"
                           : LINE "f[k] = force_zero();\n" LINE "if (p >= 0) {\n" LINE
                                  "    f[p] = force_add(f[p], K_mul(at, body, k, x + body->v));\n" LINE "}\n");
    } else if (s->adjoint) {
        put(to, LINE "V[k] = p < 0 ? motion_zero() : ");
        put_crossing(to, s, "V[p]");
        put(to, ";\n");
    } else {
        put(to, LINE "const force own = f[k];\n" LINE "f[k] = force_zero();\n" LINE "if (p >= 0) {\n" LINE
                     "    f[p] = force_add(f[p], ");
        put_crossing(to, s, "own");
        put(to, ");\n" LINE "}\n");
    }
}

/* ---- functions ------------------------------------------------------------------------------------------------ */

/* Sums over the bodies on a body run inward; in place, what is handed on once runs the other way. */
static bool is_inward(soa_reach reach)
{
    return reach == SOA_REACH_RUN_IN || reach == SOA_REACH_NEAR_OUT;
}

static void put_loop(text *to, const soa_step *x, const soa_step *s, soa_reach reach)
{
    text body = { NULL, 0, 0, false };
    if (reach == SOA_REACH_LOCAL) {
        put_local(&body, x, s);
    } else if (reach == SOA_REACH_RUN_IN || reach == SOA_REACH_RUN_OUT) {
        put_run(&body, s);
    } else {
        put_near(&body, s);
    }
    to->failed = to->failed || body.failed;
    const char *in = body.failed ? "" : body.at;
    put(to, "%s", strstr(in, "at->") == NULL && strstr(in, "(at") == NULL ? "    (void)at;\n" : "");
    put(to, is_inward(reach) ? "    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */\n"
                             : "    for (int k = 0; k < call->model->bodies; k++) {\n");
    const bool parent = strstr(in, "p]") != NULL;
    if (strstr(in, "body") != NULL) {
        put(to, LINE "const soa_body_data *body = &call->model->body[k];\n");
        put(to, parent ? LINE "const int p = body->parent;\n" : "");
    } else if (parent) {
        put(to, LINE "const int p = call->model->body[k].parent;\n");
    }
    put(to, "%s    }\n", in);
    free(body.at);
}

static void put_function(text *to, const sweep_writer *w, const char *name, int step)
{
    const soa_step *s = sweep_step(w, step), *x = sweep_step(w, s->input[0]);
    for (int i = 0; i < w->lines.lines.count; i++) {
        const soa_line *line = soa_line_at(&w->lines, i);
        if (line->step == step) {
            put(to, "/* %s = %s */\n", line->left, line->right);
        }
    }
    put(to, "static inline void %s(const soa_call *call, const vars *at, ", name);
    if (strcmp(letter_of(x), letter_of(s)) != 0) {
        put(to, "const %s *%s, ", sweep_type(x), letter_of(x));
    }
    put(to, "%s *%s)\n{\n", sweep_type(s), letter_of(s));
    put_loop(to, x, s, soa_step_reach(w->graph, step));
    put(to, "}\n\n");
}

/* One statement. */
static bool put_statement(text *to, const module_emit_request *request, const soa_statement *s, char *why, size_t size)
{
    soa_error error;
    soa_error_clear(&error);
    soa_graph graph = soa_graph_begin(request->program->terms, &error);
    bool good = soa_graph_add(&graph, "y", s->term) == SOA_OK && soa_graph_plan(&graph) == SOA_OK;
    sweep_writer w = { to, &graph, { 0 }, s->name, why, size };
    if (good) {
        w.lines = soa_recursions_of(&graph, SOA_ASCII);
        const int step = soa_graph_output_at(&graph, 0)->step;
        const soa_step *y = sweep_step(&w, step);
        good = !w.lines.failed && y->kind == SOA_STEP_APPLY && sweep_step(&w, y->input[0])->kind == SOA_STEP_INPUT &&
               y->place.space != SOA_SPACE_POINT && soa_step_reach(&graph, step) != SOA_REACH_WHOLE;
        if (good) {
            put_function(to, &w, s->name, step);
        }
        soa_recursions_free(&w.lines);
    }
    soa_graph_free(&graph);
    if (!good) {
        snprintf(why, size,
            "'%s' is not one operator on a declared vector of joints or bodies; --kernel writes those alone",
            s->name != NULL ? s->name : "");
    }
    return good;
}

char *kernel_sweeps_emit(const module_emit_request *request, char *why, size_t size)
{
    text to = { NULL, 0, 0, false };
    bool good = true;
    put(&to, "/* Written by soa emit --kernel: one operator on a vector each, in place. Change its expressions, not "
             "this file.\n"
             " *\n * k is a body, p its parent, j a body on it. Vectors are in body frames. */\n");
    for (int i = request->first; good && i < soa_program_statements(request->program); i++) {
        const soa_statement *s = soa_program_at(request->program, i);
        if (s->kind == SOA_STATEMENT_DECLARATION) {
            continue;
        }
        if (s->right != NULL || s->name == NULL || s->name[0] == '\0') {
            snprintf(why, size, "--kernel takes definitions: the name of the function, = and one operator on a vector");
            good = false;
        } else {
            put(&to, "\n");
            to.length -= to.length > 1 && to.at[to.length - 2] == '\n' && to.at[to.length - 3] == '\n' ? 1 : 0;
            good = put_statement(&to, request, s, why, size);
        }
    }
    if (to.failed && why[0] == '\0') {
        snprintf(why, size, "out of memory");
    }
    if (why[0] != '\0') {
        free(to.at);
        return NULL;
    }
    to.at[--to.length] = '\0'; /* one empty line less */
    return to.at;
}
