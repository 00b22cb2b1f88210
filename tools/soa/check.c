/* check.c - soa check: validates a model and verifies laws on it numerically. */
#include <math.h>
#include <string.h>

#include "check.h"

const tool_option TOOL_CHECK_OPTIONS[] = {
    { "json", 0, NULL, "JSON on standard output" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { NULL, 0, NULL, NULL },
};

enum { STATES = 4, LARGE_STATES = 1, LARGE = 200, POINTS = 2 };

check_row *check_row_of(check_table *table, int index, const char *label, const char *text, double tolerance)
{
    if (index >= table->room) {
        table->room = 2 * index + 64;
        table->row = tool_grow(table->row, (size_t)table->room * sizeof *table->row);
    }
    if (index >= table->count) {
        table->row[index] = (check_row){ .label = label, .text = text, .tolerance = table->scale * tolerance };
        table->count = index + 1;
    }
    return &table->row[index];
}

/* ---- states --------------------------------------------------------------------------------------- */

static void make_state(const soa_model *model, check_state *s)
{
    *s = (check_state){ .model = model, .nq = soa_model_nq(model), .nv = soa_model_nv(model) };
    const size_t nq = (size_t)s->nq + 1, nv = (size_t)s->nv + 1;
    s->q = tool_take(7 * nq + 9 * nv, sizeof *s->q);
    s->v = s->q + nq;
    s->vdot = s->v + nv;
    s->tau = s->vdot + nv;
    for (size_t i = 0; i < 6; i++) {
        s->x[i] = s->tau + nv + i * (nq + nv);
    }
    tool_must(soa_workspace_new(model, &TOOL_MEMORY, &s->workspace, tool_error()));
}

static void random_state(check_state *s, unsigned long long *seed)
{
    soa_random_configuration(s->model, seed, s->q);
    for (int i = 0; i < s->nv; i++) {
        s->v[i] = soa_model_random_number(seed);
        s->vdot[i] = soa_model_random_number(seed);
        s->tau[i] = soa_model_random_number(seed);
    }
}

/* Points off the origin of the last body's link and of one in the middle. */
static int make_points(const soa_model *model, soa_point *point)
{
    const int bodies = soa_model_bodies(model), count = bodies > 1 ? POINTS : bodies;
    for (int i = 0; i < count; i++) {
        const int body = i == 0 ? bodies - 1 : (bodies - 1) / 2;
        point[i] = (soa_point){ soa_model_body(model, body).link, soa_pose_identity() };
        point[i].at.position[i] = 0.1;
    }
    return count;
}

/* ---- identities ------------------------------------------------------------------------------------ */

/* Returns the number of rows; so does check_kinematics. */
static int check_identities(const check_state *s, check_table *table)
{
    soa_point point[POINTS];
    const int points = make_points(s->model, point), count = soa_identities();
    soa_identity_result *result = tool_take((size_t)count, sizeof *result);
    tool_must(soa_check_identities(s->model, s->q, points, point, SOA_BY_SWEEPS, result, tool_error()));
    for (int i = 0; i < count; i++) {
        check_row *row = check_row_of(table, i, result[i].label, result[i].text, CHECK_TOLERANCE);
        row->without = result[i].applies ? NULL : "the model has rotors";
        row->error = result[i].error <= row->error ? row->error : result[i].error;
        row->rounding = fmax(row->rounding, result[i].rounding);
    }
    tool_return(result);
    return count;
}

/* y = left x - right x for products of up to three operators, each with its adjoint. */
typedef struct kinematic_law {
    const char *label, *text;
    soa_operator left, right[3]; /* SOA_OP_I: none */
    bool adjoint;                /* of all on the right */
    bool plus_identity;          /* on the right */
} kinematic_law;

static const kinematic_law LAW[] = {
    { "V", "phi = I + phi~", SOA_OP_PHI, { SOA_OP_PHI_STRICT, SOA_OP_I, SOA_OP_I }, false, true },
    { "V", "phi~ = E_phi phi", SOA_OP_PHI_STRICT, { SOA_OP_PHI, SOA_OP_E_PHI, SOA_OP_I }, false, false },
    { "V", "phi~ = phi E_phi", SOA_OP_PHI_STRICT, { SOA_OP_E_PHI, SOA_OP_PHI, SOA_OP_I }, false, false },
    { "J", "J = B* phi* H*", SOA_OP_J, { SOA_OP_H, SOA_OP_PHI, SOA_OP_B }, true, false },
};

enum { LAWS = sizeof LAW / sizeof LAW[0] };

/* The error of one law on a random vector; x, y, z have room for any. */
static double law_error(
    soa_operators *ops, const kinematic_law *law, double *x, double *y, double *z, unsigned long long *seed)
{
    const int cols = soa_operator_cols(ops, law->left, false), rows = soa_operator_rows(ops, law->left, false);
    for (int i = 0; i < cols; i++) {
        x[i] = soa_model_random_number(seed);
    }
    tool_must(soa_operators_apply(ops, law->left, false, x, z, tool_error()));
    double scale = 0.0, off = 0.0;
    for (int i = 0; i < rows; i++) {
        z[i] -= law->plus_identity ? x[i] : 0.0;
    }
    for (int n = 0; n < 3 && law->right[n] != SOA_OP_I; n++) {
        tool_must(soa_operators_apply(ops, law->right[n], law->adjoint, x, y, tool_error()));
        memcpy(x, y, (size_t)soa_operator_rows(ops, law->right[n], law->adjoint) * sizeof *x);
    }
    for (int i = 0; i < rows; i++) {
        scale = fmax(scale, fabs(x[i]));
        off = fmax(off, fabs(z[i] - x[i]));
    }
    return scale > 0.0 ? off / scale : off;
}

/* What can be said of a model in which some joint moves nothing that has inertia. */
static int check_kinematics(const check_state *s, check_table *table)
{
    soa_point point[POINTS];
    soa_operators *ops = NULL;
    unsigned long long seed = 9;
    const int points = make_points(s->model, point);
    const size_t room = 6 * (size_t)(soa_model_bodies(s->model) + POINTS) + (size_t)s->nv; /* modes are velocities */
    double *x = tool_take(3 * room, sizeof *x);
    tool_must(soa_operators_new(s->model, points, &TOOL_MEMORY, &ops, tool_error()));
    const soa_status status = soa_operators_set(ops, s->q, points, point, tool_error());
    tool_must(status == SOA_E_SINGULAR ? SOA_OK : status);
    for (int i = 0; i < LAWS; i++) {
        check_row *row = check_row_of(table, i, LAW[i].label, LAW[i].text, CHECK_TOLERANCE);
        const double off = law_error(ops, &LAW[i], x, x + room, x + 2 * room, &seed);
        row->error = off <= row->error ? row->error : off;
    }
    return LAWS;
}

/* Whether every joint moves something that has inertia. */
static bool has_inertia(const check_state *s)
{
    return soa_mass_solve(s->model, s->workspace, 1, s->q, s->tau, s->x[0], NULL) == SOA_OK;
}

/* ---- output ------------------------------------------------------------------------------------------- */

/* Whether rounding decides how far the law may be off. */
static bool is_rounded(const check_row *row)
{
    return row->without == NULL && CHECK_ROUNDINGS * row->rounding > row->tolerance;
}

static double allowed(const check_row *row)
{
    return is_rounded(row) ? CHECK_ROUNDINGS * row->rounding : row->tolerance;
}

static bool holds(const check_row *row)
{
    return !row->unchecked && (row->without != NULL || row->error <= allowed(row));
}

static const char *verdict(const check_row *row)
{
    return row->without != NULL ? row->without : holds(row) ? "holds" : "FAILS";
}

static int count_failures(const check_table *table)
{
    int failures = 0;
    for (int i = 0; i < table->count; i++) {
        failures += !holds(&table->row[i]);
    }
    return failures;
}

static void print_json(const tool_call *call, const soa_model *model, const check_table *table, int states, bool mass)
{
    json_writer writer = json_begin(call->out);
    json_field(&writer, "model", json_text(soa_model_name(model)));
    json_field(&writer, "states", json_integer(states));
    json_field(&writer, "dynamics", json_boolean(mass));
    json_field(&writer, "failures", json_integer(count_failures(table)));
    json_list(&writer, "laws");
    for (int i = 0; i < table->count; i++) {
        const check_row *row = &table->row[i];
        json_item(
            &writer, json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "label", json_text(row->label), "statement",
                         json_text(row->text), "error", row->without != NULL ? json_null() : json_number(row->error),
                         "tolerance", json_number(allowed(row)), "rounding", json_number(row->rounding), "applies",
                         row->without == NULL, "holds", holds(row)));
    }
    json_list_end(&writer);
    json_field(&writer, "notes", tool_notes_json(call));
    json_end(&writer);
}

static void print_table(const tool_call *call, const check_table *table)
{
    int width = 20;
    for (int i = 0; i < table->count; i++) {
        const int n = tool_width(table->row[i].text) + 2;
        width = n > width ? n : width;
    }
    tool_put(call, INK_BOLD, "  label   statement", 10 + width);
    tool_put(call, INK_BOLD, "  error  verdict\n", 0);
    for (int i = 0; i < table->count; i++) {
        const check_row *row = &table->row[i];
        fprintf(call->out, "  %-8s", row->label);
        tool_put(call, INK_PLAIN, row->text, width);
        if (row->without == NULL) {
            fprintf(call->out, "%7.1e  ", row->error);
        } else {
            fprintf(call->out, "%7s  ", "-");
        }
        tool_put(call, holds(row) ? INK_PLAIN : INK_WARNING, verdict(row), 0);
        if (is_rounded(row)) {
            fprintf(call->out, " %s %.1e", holds(row) ? "within" : "beyond", allowed(row));
        }
        fputc('\n', call->out);
    }
}

static bool any_rounded(const check_table *table)
{
    for (int i = 0; i < table->count; i++) {
        if (is_rounded(&table->row[i])) {
            return true;
        }
    }
    return false;
}

static void print_text(const tool_call *call, const soa_model *model, const check_table *table, int states, bool mass)
{
    fprintf(call->out, "%s is valid: %d bodies, %d dofs, %d warnings\n\n", tool_clean(soa_model_name(model)),
        soa_model_bodies(model), soa_model_nv(model), soa_model_warnings(model));
    if (!mass) {
        fputs("Some joint moves nothing that has inertia: only laws of kinematics are verified.\n\n", call->out);
    }
    print_table(call, table);
    fprintf(call->out,
        "\nThe worst relative error at %d random state%s. A law holds within 1e-9, which leaves room for\n"
        "ill-conditioned real robots; rates taken by differences within 1e-6.\n",
        states, states > 1 ? "s" : "");
    if (any_rounded(table)) {
        fprintf(call->out,
            "A verdict with a number of its own is that of ill-conditioned operators: if numbers change in their last\n"
            "digit, the law is off by 1/%.0f of it.\n",
            CHECK_ROUNDINGS);
    }
    if (table->rounding > 0.0) {
        fprintf(call->out,
            "Rows of the closures are rounded: their laws hold within %.2g, ten times what the file misses.\n",
            table->rounding);
    }
    if (table->scale > 1.0) {
        fprintf(call->out, "Both are %.3g times that here: rounding grows with the square of the bodies beyond %d.\n",
            table->scale, CHECK_BODIES);
    }
}

/* ---- the command ----------------------------------------------------------------------------------------- */

static void verify(check_state *s, check_table *table, int states, bool *mass)
{
    unsigned long long seed = 1;
    random_state(s, &seed);
    *mass = s->nv > 0 && has_inertia(s);
    for (int i = 0; i < states && s->nv > 0; i++) {
        const int laws = *mass ? check_identities(s, table) : check_kinematics(s, table);
        const int next = check_algorithms(s, *mass, table, laws);
        if (*mass) {
            check_closures(s, table, next);
        }
        random_state(s, &seed);
    }
}

static void check_model(tool_call *call, const soa_model *model)
{
    check_state state;
    const double size = soa_model_bodies(model) / (double)CHECK_BODIES;
    check_table table = { .scale = size > 1.0 ? size * size : 1.0 };
    bool mass = false;
    const int states = soa_model_bodies(model) > LARGE ? LARGE_STATES : STATES;
    tool_note_forces(call, model);
    if (soa_model_nv(model) == 0) {
        tool_fail("%s: the model is valid, but nothing in it moves: there is no law to verify", call->operand[0]);
    }
    make_state(model, &state);
    verify(&state, &table, states, &mass);
    if (tool_value(call, "json") != NULL) {
        print_json(call, model, &table, states, mass);
    } else {
        print_text(call, model, &table, states, mass);
    }
    const int failures = count_failures(&table);
    if (failures > 0) {
        call->keep = true;
        tool_fail("%d laws do not hold on '%s'; the table says which", failures, soa_model_name(model));
    }
}

void tool_check(tool_call *call)
{
    check_model(call, tool_load_based(call, call->operand[0]));
}
