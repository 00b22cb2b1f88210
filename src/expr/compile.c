/* expr/compile.c - statements of a program as one graph and matrices. */
#include "expr/compile.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

soa_graph soa_compiled_graph(soa_compiled *compiled)
{
    soa_graph graph = soa_graph_begin(compiled->terms, &compiled->arena, compiled->error);
    graph.model = compiled->model;
    graph.rotors = soa_has_rotors(compiled->model);
    graph.turning = soa_has_turning_armature(compiled->model);
    return graph;
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

/* The numbers that the program gives with a declaration. */
static void find_values(const soa_program *program, soa_compiled_input *input)
{
    for (int i = 0; i < soa_program_statements(program); i++) {
        const soa_statement *s = soa_program_at(program, i);
        if (s->kind == SOA_STATEMENT_DECLARATION && strcmp(s->name, input->name) == 0) {
            input->values = s->values;
            input->value = s->values > 0 ? s->value : NULL;
        }
    }
}

bool soa_compiled_needs(soa_compiled *compiled, const char *name, soa_type type)
{
    if (soa_array_named(&compiled->inputs, name)) {
        return true;
    }
    const int variable = soa_terms_find_variable(compiled->terms, name);
    soa_compiled_input made = { .name = soa_arena_text(&compiled->arena, name), .type = type };
    made.blocks = variable >= 0 && soa_kind_is_blocks(soa_terms_about(compiled->terms, variable)->causality, type);
    if (made.name && compiled->program) {
        find_values(compiled->program, &made);
    }
    return made.name && soa_arena_add(&compiled->arena, &compiled->inputs, &made, sizeof made);
}

static const soa_place ONE = { SOA_SPACE_ONE, SOA_SIDE_ANY };

bool soa_compiled_needs_beta(soa_compiled *compiled)
{
    const soa_place beta = { SOA_SPACE_JOINT, SOA_SIDE_MOTION };
    return soa_compiled_needs(compiled, "beta", (soa_type){ ONE, beta });
}

static bool graph_inputs(soa_compiled *c, const soa_graph *graph)
{
    bool fine = true;
    for (int i = 0; fine && i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const bool input = s->kind == SOA_STEP_INPUT && graph->demanded[i] && s->matrix == 0;
        if (input && s->name[0] != '\0' && s->name[0] != '=') { /* neither the argument nor of a kernel */
            fine = soa_compiled_needs(c, s->name, (soa_type){ ONE, s->place });
        }
    }
    return fine && (!graph->velocities || soa_compiled_needs_beta(c));
}

bool soa_compiled_complete(soa_compiled *compiled, soa_graph *graph)
{
    const bool made = soa_graph_plan(graph) == SOA_OK && soa_graph_compile(graph) == SOA_OK;
    graph->error = NULL;
    return made && soa_matrices_of(compiled, graph) && graph_inputs(compiled, graph);
}

/* ---- statements ------------------------------------------------------------------------------------------ */

static bool is_statement(const soa_program *program, const char *name)
{
    bool found = false;
    for (int i = 0; i < soa_program_statements(program) && !found; i++) {
        const char *known = soa_program_at(program, i)->name;
        found = known && strcmp(known, name) == 0;
    }
    return found;
}

/* The name of an output: its own, or y, y2, ... as far as no statement has it. */
static const char *output_name(soa_compiled *c, const soa_statement *s, int *unnamed)
{
    char name[32];
    if (s->name && s->name[0] != '\0') {
        return soa_arena_text(&c->arena, s->name);
    }
    do {
        ++*unnamed;
        snprintf(name, sizeof name, *unnamed == 1 ? "y" : "y%d", *unnamed);
    } while (is_statement(c->program, name));
    return soa_arena_text(&c->arena, name);
}

static bool add_output(soa_compiled *c, const soa_statement *s, int *unnamed)
{
    soa_compiled_output made = { .name = output_name(c, s, unnamed), .type = s->term->type, .term = s->term };
    made.kernel = SOA_BY_NONE;
    made.vector = -1;
    made.block = soa_term_is_block(c->terms, s->term);
    made.block.col = soa_term_is_vector(s->term) ? NULL : made.block.col;
    return made.name && soa_arena_add(&c->arena, &c->outputs, &made, sizeof made);
}

static bool is_result(const soa_program *program, int statement)
{
    const soa_statement_kind kind = soa_program_at(program, statement)->kind;
    return kind == SOA_STATEMENT_DEFINITION || kind == SOA_STATEMENT_EXPRESSION;
}

static bool add_statements(soa_compiled *c, int count, const int *statement)
{
    const int all = soa_program_statements(c->program);
    bool fine = true;
    int unnamed = 0;
    for (int i = 0; fine && i < (statement ? count : all); i++) {
        const int number = statement ? statement[i] : i;
        if (number < 0 || number >= all || (statement && !is_result(c->program, number))) {
            (void)soa_fail(c->error, SOA_E_ARGUMENT, -1, "statement %d is no definition and no expression", number);
            return false;
        }
        if (is_result(c->program, number)) {
            fine = add_output(c, soa_program_at(c->program, number), &unnamed);
        }
    }
    return fine;
}

/* ---- what is run for them ----------------------------------------------------------------------------------- */

static soa_compiled_output *output_of(const soa_compiled *c, int i)
{
    return (soa_compiled_output *)c->outputs.items + i;
}

static bool recognise_vectors(soa_compiled *c)
{
    bool fine = true;
    for (int i = 0; fine && i < c->outputs.count; i++) {
        soa_compiled_output *out = output_of(c, i);
        out->kernel = soa_term_is_vector(out->term) ? soa_recognise(c->recogniser, out->term) : SOA_BY_NONE;
        const char *reads[] = { "beta", out->kernel == SOA_BY_NONE ? "" : soa_kernel_reads(out->kernel) };
        for (int j = 0; j < 2 && fine && out->kernel != SOA_BY_NONE && reads[j][0]; j++) {
            const soa_vector_info about = soa_vector_about(soa_vector_find(reads[j]));
            fine = soa_compiled_needs(c, reads[j], (soa_type){ ONE, { about.space, about.side } });
        }
    }
    return fine;
}

/* Later vectors have the values of earlier ones. */
bool soa_compiled_lower(const soa_compiled *c, soa_graph *graph, int operator_output)
{
    for (int i = 0; graph->status == SOA_OK && i < c->outputs.count; i++) {
        soa_compiled_output *out = output_of(c, i);
        const bool vector = soa_term_is_vector(out->term);
        if (out->kernel != SOA_BY_NONE) {
            (void)soa_graph_add_call(graph, out->name, out->term);
        } else if (operator_output < 0 ? vector : i == operator_output) {
            out->vector = vector ? graph->outputs.count : -1;
            (void)soa_graph_add(graph, out->name, out->term);
        }
    }
    return graph->status == SOA_OK;
}

static bool make_operators(soa_compiled *c)
{
    bool made = true;
    for (int i = 0; made && i < c->outputs.count; i++) {
        soa_compiled_output *out = output_of(c, i);
        if (!soa_term_is_vector(out->term)) {
            out->matrix = out->block.row || out->block.col ? soa_matrix_of_block(c, out->term, out->block)
                                                           : soa_matrix_of(c, out->term);
            made = out->matrix != NULL;
        }
    }
    return made;
}

static bool make(soa_compiled *c)
{
    if (!recognise_vectors(c) || (c->recogniser->equal && !soa_compiled_simplify(c))) {
        return false;
    }
    c->graph = soa_compiled_graph(c);
    return soa_compiled_lower(c, &c->graph, -1) && soa_compiled_complete(c, &c->graph) && make_operators(c);
}

soa_status soa_compile(const soa_model *model, soa_program *program, soa_writing writing, int count,
    const int *statement, soa_compiled **compiled, soa_error *error)
{
    if (!program || !compiled) {
        return soa_fail_null(error, "the program or the result");
    }
    if ((unsigned)writing > SOA_AS_WRITTEN) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "there is no such writing");
    }
    soa_error unused;
    soa_error_clear(&unused);
    error = error ? error : &unused;
    error->status = SOA_OK;
    *compiled = NULL;
    soa_terms *terms = program->terms;
    const soa_allocator *from = &terms->allocator;
    soa_compiled *c = soa_allocate(from, 1, sizeof *c);
    if (!c) {
        return soa_terms_settle(terms, SOA_E_MEMORY, error);
    }
    soa_recogniser recogniser;
    *c = (soa_compiled){ .allocator = *from, .model = model, .terms = terms, .program = program };
    c->arena = soa_arena_on(&c->allocator);
    c->recogniser = &recogniser;
    c->error = error;
    bool made = add_statements(c, count, statement);
    if (made) {
        made = soa_recogniser_init(&recogniser, terms, model, model && writing == SOA_SIMPLIFIED, error) == SOA_OK &&
               make(c);
        soa_recogniser_clear(&recogniser);
    }
    c->recogniser = NULL;
    c->error = NULL;
    soa_status status = made ? SOA_OK : error->status != SOA_OK ? error->status : soa_fail_memory(error);
    status = soa_terms_settle(terms, status, error);
    if (status != SOA_OK) {
        soa_compiled_free(c);
        return status;
    }
    *compiled = c;
    return SOA_OK;
}

void soa_compiled_free(soa_compiled *compiled)
{
    if (!compiled) {
        return;
    }
    const soa_allocator from = compiled->allocator;
    soa_arena_free(&compiled->arena);
    soa_release(&from, compiled);
}

/* ---- asking --------------------------------------------------------------------------------------------- */

int soa_compiled_inputs(const soa_compiled *compiled)
{
    return compiled->inputs.count;
}

int soa_compiled_outputs(const soa_compiled *compiled)
{
    return compiled->outputs.count;
}

static soa_bound_info info_of(const char *name, soa_type type)
{
    return (soa_bound_info){ name, type.from.space, type.to.space, type.from.side, type.to.side };
}

soa_bound_info soa_compiled_input_info(const soa_compiled *compiled, int input)
{
    const bool there = input >= 0 && input < compiled->inputs.count;
    const soa_compiled_input *in = there ? soa_compiled_input_at(compiled, input) : NULL;
    return in ? info_of(in->name, in->type) : (soa_bound_info){ .name = "" };
}

soa_bound_info soa_compiled_output_info(const soa_compiled *compiled, int output)
{
    const bool there = output >= 0 && output < compiled->outputs.count;
    const soa_compiled_output *out = there ? soa_compiled_output_at(compiled, output) : NULL;
    return out ? info_of(out->name, out->type) : (soa_bound_info){ .name = "" };
}

int soa_compiled_sweeps(const soa_compiled *compiled)
{
    return compiled->graph.cost.sweeps;
}

int soa_compiled_sweeps_written(const soa_compiled *compiled)
{
    return compiled->graph.cost.sweeps_written;
}
