/* expr/replay.c - both sides of a statement on a built-in tree, by the recursions that programs run by: where they differ,
 * and the command line that shows it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/compile.h"
#include "expr/print.h"
#include "expr/prove.h"
#include "model/model.h"

enum { BODIES_LEAST = 2, BODIES_MOST = 10, CHAIN = 12, TRIES = 200, POINTS = 2 };

/* A random tree and its state: that of `soa eval builtin:tree:N,S --random 1 --seed S`. */
typedef struct replay {
    soa_allocator allocator;
    soa_arena arena;
    soa_model *model;
    double *q, *state; /* state: beta, T, betadot */
    soa_point point[POINTS];
    soa_compiled *compiled;
    soa_runner *runner;
} replay;

static void replay_free(replay *r)
{
    soa_runner_free(r->runner);
    soa_compiled_free(r->compiled);
    soa_arena_free(&r->arena);
    soa_model_free(r->model);
}

/* ---- the system ----------------------------------------------------------------------------------------- */

static soa_status make_model(replay *r, const char *name, soa_error *error)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s", strncmp(name, "builtin:", 8) == 0 ? name + 8 : name);
    return soa_model_builtin(text, &r->allocator, &r->model, error);
}

/* The next tree from *seed on, with rotors or without; its name. */
static soa_status find_model(replay *r, unsigned long long *seed, bool rotors, soa_counterexample *c, soa_error *error)
{
    for (int i = 0; i < TRIES; i++) {
        c->seed = (*seed)++;
        c->bodies = BODIES_LEAST + (int)(c->seed % (BODIES_MOST - BODIES_LEAST + 1));
        (void)snprintf(c->system, sizeof c->system, "builtin:tree:%d,%llu", c->bodies, c->seed);
        if (c->seed % CHAIN == 0 && !rotors) { /* deeper than words are long */
            c->bodies = CHAIN;
            (void)snprintf(c->system, sizeof c->system, "builtin:chain:%d", (int)CHAIN);
        }
        const soa_status status = make_model(r, c->system, error);
        if (status != SOA_OK || soa_has_rotors(r->model) == rotors) {
            return status;
        }
        soa_model_free(r->model);
        r->model = NULL;
    }
    return soa_fail(error, SOA_E_LIMIT, -1, "no random tree is found; try another seed");
}

static soa_status set_state(replay *r, unsigned long long seed, soa_error *error)
{
    const int nv = soa_model_nv(r->model), links = soa_model_links(r->model);
    r->q = soa_arena_take(&r->arena, (size_t)soa_model_nq(r->model) + 1, sizeof *r->q);
    r->state = soa_arena_take(&r->arena, 3 * (size_t)nv + 1, sizeof *r->state);
    if (!r->q || !r->state) {
        return soa_fail_memory(error);
    }
    soa_random_configuration(r->model, &seed, r->q);
    for (int i = 0; i < 3 * nv; i++) {
        r->state[i] = soa_model_random_number(&seed);
    }
    for (int i = 0; i < POINTS; i++) {
        r->point[i] = (soa_point){ i == 0 ? links - 1 : 0, soa_pose_identity() };
    }
    return SOA_OK;
}

/* ---- what is given ------------------------------------------------------------------------------------------ */

static unsigned hash_of(const char *name)
{
    unsigned hash = 7;
    for (; *name; name++) {
        hash = hash * 31 + (unsigned char)*name;
    }
    return hash;
}

/* Quarters that follow from the name; a matrix that is symmetric or positive where it is declared so. */
static double number_of(const char *name, const soa_variable *about, int i, int cols)
{
    int row = i / cols, col = i % cols;
    if (about && about->symmetric && row > col) {
        const int swap = row;
        row = col;
        col = swap;
    }
    const int number = (int)((hash_of(name) + 7U * (unsigned)row + 11U * (unsigned)col) % 19U) - 9;
    return about && about->positive && row == col ? 20.0 : number / 4.0;
}

static const double *numbers_of(replay *r, soa_terms *terms, const char *name, soa_error *error)
{
    static const char *const given[] = { "beta", "T", "betadot" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, given[i]) == 0) {
            return r->state + i * soa_model_nv(r->model);
        }
    }
    const int count = soa_runner_numbers(r->runner, name), rows = soa_runner_rows(r->runner, name);
    const int variable = soa_terms_find_variable(terms, name);
    const soa_variable *about = variable >= 0 ? soa_terms_about(terms, variable) : NULL;
    const bool blocks = about && soa_kind_is_blocks(about->causality, about->type);
    double *made = soa_arena_take(&r->arena, (size_t)count + 1, sizeof *made);
    if (!made) {
        (void)soa_fail_memory(error);
        return NULL;
    }
    for (int k = 0, at = 0; k < (blocks ? soa_model_bodies(r->model) : 1); k++) { /* block by block, or as one */
        const int own = !blocks || about->type.to.space != SOA_SPACE_JOINT ? 6 : soa_model_body(r->model, k).nv;
        const int cols = blocks ? own : rows > 0 ? count / rows : 1, end = blocks ? own * own : count;
        for (int i = 0; i < end; i++) {
            made[at++] = number_of(name, about, i, cols);
        }
    }
    return made;
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static soa_status set_constraints(replay *r, soa_error *error)
{
    double rows[6 * 6 * POINTS] = { 0 }; /* [I -I]: --join */
    for (int i = 0; i < 6; i++) {
        rows[i * 6 * POINTS + i] = 1.0;
        rows[i * 6 * POINTS + 6 + i] = -1.0;
    }
    return soa_runner_set_constraints(r->runner, 6, rows, error);
}

static soa_status make_ready(replay *r, soa_terms *terms, const soa_sides *sides, soa_error *error)
{
    soa_statement two[] = { { .kind = SOA_STATEMENT_DEFINITION, .name = "left of it", .term = sides->left },
        { .kind = SOA_STATEMENT_DEFINITION, .name = "right of it", .term = sides->right } };
    soa_program program = { .terms = terms, .statements = soa_array_of(sizeof *two) };
    program.statements.items = two;
    program.statements.count = 2;
    soa_status status = soa_compile(r->model, &program, SOA_AS_WRITTEN, 0, NULL, &r->compiled, error);
    status =
        status == SOA_OK ? soa_runner_new(r->compiled, POINTS, r->point, &r->allocator, &r->runner, error) : status;
    status = status == SOA_OK ? set_constraints(r, error) : status;
    for (int i = 0; status == SOA_OK && i < soa_compiled_inputs(r->compiled); i++) {
        const char *name = soa_compiled_input_info(r->compiled, i).name;
        const double *numbers = numbers_of(r, terms, name, error);
        status = numbers ? soa_runner_bind(r->runner, name, numbers, error) : SOA_E_MEMORY;
    }
    return status;
}

/* Numbers of such trees are about one: what is made of them and is far smaller may be rounding alone. */
static const double SMALL = 0.1;

/* Where the sides differ by far more than rounding, if they do. */
static void compare(const double *left, const double *right, int count, int cols, double least, soa_counterexample *c)
{
    double scale = 0.0, most = 0.0;
    int where = 0;
    for (int i = 0; i < count; i++) {
        const double d = fabs(left[i] - right[i]);
        scale = fmax(scale, fmax(fabs(left[i]), fabs(right[i])));
        where = d > most ? i : where;
        most = fmax(most, d);
    }
    if (!(most > least * fmax(scale, SMALL))) {
        c->system[0] = '\0';
        return;
    }
    c->row = where / cols;
    c->col = where % cols;
    c->left = left[where];
    c->right = right[where];
}

static bool same_name(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static soa_status run(replay *r, const soa_sides *sides, double least, soa_counterexample *c, soa_error *error)
{
    const char *name[] = { "left of it", "right of it" };
    const int whole = sides->left->kind == SOA_TERM_ZERO; /* the side that is as large as what is compared */
    const int count = soa_runner_numbers(r->runner, name[whole]), rows = soa_runner_rows(r->runner, name[whole]);
    double *side[2];
    soa_status status = SOA_OK;
    for (int i = 0; i < 2 && status == SOA_OK; i++) {
        const int own = soa_runner_numbers(r->runner, name[i]);
        side[i] = soa_arena_take(&r->arena, (size_t)(own > count ? own : count) + 1, sizeof **side);
        status = side[i] ? soa_runner_bind_output(r->runner, name[i], side[i], error) : soa_fail_memory(error);
    }
    status = status == SOA_OK ? soa_runner_run(r->runner, 1, r->q, error) : status;
    if (status == SOA_OK) {
        compare(side[0], side[1], count, rows > 0 && count > 0 ? count / rows : 1, least, c);
    }
    return status;
}

soa_status soa_replay(soa_terms *terms, const soa_term *left, const soa_term *right, bool rotors, double least,
    unsigned long long *seed, soa_counterexample *c)
{
    soa_error error;
    replay r = { .allocator = terms->allocator };
    const soa_sides sides = { left, right };
    r.arena = soa_arena_on(&r.allocator);
    const soa_block a = soa_term_is_block(terms, left), b = soa_term_is_block(terms, right);
    const bool comparable = left->kind == SOA_TERM_ZERO ||
                            right->kind == SOA_TERM_ZERO || /* blocks have sizes of their own */
                            (same_name(a.row, b.row) && same_name(a.col, b.col));
    soa_status status = comparable ? find_model(&r, seed, rotors, c, &error) : SOA_E_UNSUPPORTED;
    status = status == SOA_OK ? set_state(&r, c->seed, &error) : status;
    status = status == SOA_OK ? make_ready(&r, terms, &sides, &error) : status;
    status = status == SOA_OK ? run(&r, &sides, least, c, &error) : status;
    if (status != SOA_OK) {
        c->system[0] = '\0';
    }
    terms->refused = terms->refused || status == SOA_E_MEMORY; /* compiling has settled */
    replay_free(&r);
    return status;
}

/* ---- the command line ---------------------------------------------------------------------------------------------- */

static void put_numbers(const replay *r, const char *name, const double *number, soa_page *out)
{
    const int count = soa_runner_numbers(r->runner, name);
    for (int i = 0; i < count; i++) {
        soa_page_format(out, "%s%g", i ? "," : "", number[i]);
    }
}

static void put_input(replay *r, soa_terms *terms, const char *name, soa_page *out)
{
    const int variable = soa_terms_find_variable(terms, name);
    const soa_vector_id listed = soa_vector_find(name);
    const double *number = numbers_of(r, terms, name, NULL);
    if (!number) {
        out->failed = true;
    } else if (listed == SOA_VECTOR_F_C) {
        soa_page_put(out, " --force=");
        put_numbers(r, name, number, out);
    } else if (listed == SOA_VECTORS && variable >= 0) {
        const soa_variable *about = soa_terms_about(terms, variable);
        char words[SOA_WORDS];
        soa_page_format(out, " --let \"%s: %s%s%s%s = ", name, soa_words_type(words, about->type),
            about->symmetric ? ", symmetric" : "", about->positive ? ", positive" : "",
            about->causality == SOA_KIND_MEMORYLESS && about->type.from.space != SOA_SPACE_ONE ? ", memoryless" : "");
        put_numbers(r, name, number, out);
        soa_page_put(out, "\"");
    }
}

void soa_replay_put(
    soa_terms *terms, const soa_term *left, const soa_term *right, const soa_counterexample *c, soa_page *out)
{
    soa_error error;
    replay r = { .allocator = terms->allocator };
    const soa_sides sides = { left, right };
    r.arena = soa_arena_on(&r.allocator);
    soa_status status = make_model(&r, c->system, &error);
    status = status == SOA_OK ? set_state(&r, c->seed, &error) : status;
    status = status == SOA_OK ? make_ready(&r, terms, &sides, &error) : status;
    out->failed = out->failed || status != SOA_OK;
    const soa_term *difference = soa_term_subtract(terms, left, right);
    if (status == SOA_OK && difference) {
        soa_page_format(out, "soa eval %s \"", c->system);
        soa_print_term(terms, difference, SOA_ASCII, out);
        soa_page_format(out, "\" --random 1 --seed %llu --all", c->seed);
        for (int i = 0; i < POINTS && soa_term_has_space(terms, difference, SOA_SPACE_POINT); i++) {
            soa_page_format(out, " --at %s", soa_model_link(r.model, r.point[i].link)->name);
        }
        soa_page_put(out, soa_term_has_space(terms, difference, SOA_SPACE_CONSTRAINT) ? " --join" : "");
        for (int i = 0; i < soa_compiled_inputs(r.compiled); i++) {
            put_input(&r, terms, soa_compiled_input_info(r.compiled, i).name, out);
        }
    }
    replay_free(&r);
}
