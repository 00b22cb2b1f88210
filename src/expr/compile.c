/* expr/compile.c - statements of a program as one graph and matrices. */
#include "expr/compile.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

soa_graph soa_compiled_graph(const soa_compiled *compiled, soa_error *error)
{
    soa_graph graph = soa_graph_begin(compiled->terms, error);
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

soa_status soa_compiled_needs(soa_compiled *compiled, const char *name, soa_type type, soa_error *error)
{
    if (soa_array_named(&compiled->inputs, name)) {
        return SOA_OK;
    }
    const int variable = soa_terms_find_variable(compiled->terms, name);
    soa_compiled_input made = { .name = soa_arena_text(&compiled->arena, name), .type = type };
    made.blocks = variable >= 0 && soa_kind_is_blocks(soa_terms_about(compiled->terms, variable)->causality, type);
    if (made.name && compiled->program) {
        find_values(compiled->program, &made);
    }
    return made.name && soa_arena_add(&compiled->arena, &compiled->inputs, &made, sizeof made) ? SOA_OK
                                                                                               : soa_fail_memory(error);
}

static const soa_place ONE = { SOA_SPACE_ONE, SOA_SIDE_ANY };

soa_status soa_compiled_needs_beta(soa_compiled *compiled, soa_error *error)
{
    const soa_place beta = { SOA_SPACE_JOINT, SOA_SIDE_MOTION };
    return soa_compiled_needs(compiled, "beta", (soa_type){ ONE, beta }, error);
}

static soa_status graph_inputs(soa_compiled *c, const soa_graph *graph, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        const bool input = s->kind == SOA_STEP_INPUT && graph->demanded[i] && s->matrix == 0;
        if (input && s->name[0] != '\0' && s->name[0] != '=') { /* neither the argument nor of a kernel */
            status = soa_compiled_needs(c, s->name, (soa_type){ ONE, s->place }, error);
        }
    }
    return status == SOA_OK && graph->velocities ? soa_compiled_needs_beta(c, error) : status;
}

soa_status soa_compiled_complete(soa_compiled *compiled, soa_graph *graph, soa_error *error)
{
    soa_status status = soa_graph_plan(graph);
    status = status == SOA_OK ? soa_graph_compile(graph) : status;
    status = status == SOA_OK ? soa_matrices_of(compiled, graph, error) : status;
    graph->error = NULL;
    return status == SOA_OK ? graph_inputs(compiled, graph, error) : status;
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

static soa_status add_output(soa_compiled *c, const soa_statement *s, int *unnamed, soa_error *error)
{
    soa_compiled_output made = { .name = output_name(c, s, unnamed), .type = s->term->type, .term = s->term };
    made.kernel = SOA_BY_NONE;
    made.vector = -1;
    made.block = soa_term_is_block(c->terms, s->term);
    made.block.col = soa_term_is_vector(s->term) ? NULL : made.block.col;
    return made.name && soa_arena_add(&c->arena, &c->outputs, &made, sizeof made) ? SOA_OK : soa_fail_memory(error);
}

static bool is_result(const soa_program *program, int statement)
{
    const soa_statement_kind kind = soa_program_at(program, statement)->kind;
    return kind == SOA_STATEMENT_DEFINITION || kind == SOA_STATEMENT_EXPRESSION;
}

static soa_status add_statements(soa_compiled *c, int count, const int *statement, soa_error *error)
{
    const int all = soa_program_statements(c->program);
    soa_status status = SOA_OK;
    int unnamed = 0;
    for (int i = 0; status == SOA_OK && i < (statement ? count : all); i++) {
        const int number = statement ? statement[i] : i;
        if (number < 0 || number >= all || (statement && !is_result(c->program, number))) {
            return soa_fail(error, SOA_E_ARGUMENT, -1, "statement %d is no definition and no expression", number);
        }
        if (is_result(c->program, number)) {
            status = add_output(c, soa_program_at(c->program, number), &unnamed, error);
        }
    }
    return status;
}

/* ---- what is run for them ----------------------------------------------------------------------------------- */

static soa_compiled_output *output_of(const soa_compiled *c, int i)
{
    return (soa_compiled_output *)c->outputs.items + i;
}

static soa_status recognise_vectors(soa_compiled *c, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < c->outputs.count; i++) {
        soa_compiled_output *out = output_of(c, i);
        if (!soa_term_is_vector(out->term)) {
            continue;
        }
        out->kernel = soa_recognise(c->recogniser, out->term);
        if (out->kernel == SOA_BY_NONE) {
            continue;
        }
        const char *reads[] = { "beta", soa_kernel_reads(out->kernel) };
        for (int j = 0; j < 2 && status == SOA_OK && reads[j][0]; j++) {
            const soa_vector_info about = soa_vector_about(soa_vector_find(reads[j]));
            status = soa_compiled_needs(c, reads[j], (soa_type){ ONE, { about.space, about.side } }, error);
        }
    }
    return c->recogniser->status == SOA_OK ? status : soa_fail_memory(error);
}

/* Later vectors have the values of earlier ones. */
soa_status soa_compiled_lower(const soa_compiled *c, soa_graph *graph, int operator_output)
{
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < c->outputs.count; i++) {
        soa_compiled_output *out = output_of(c, i);
        const bool vector = soa_term_is_vector(out->term);
        if (out->kernel != SOA_BY_NONE) {
            status = soa_graph_add_call(graph, out->name, out->term);
        } else if (operator_output < 0 ? vector : i == operator_output) {
            out->vector = vector ? graph->outputs.count : -1;
            status = soa_graph_add(graph, out->name, out->term);
        }
    }
    return status;
}

static soa_status make_operators(soa_compiled *c, soa_error *error)
{
    for (int i = 0; i < c->outputs.count; i++) {
        soa_compiled_output *out = output_of(c, i);
        if (!soa_term_is_vector(out->term)) {
            out->matrix = out->block.row || out->block.col ? soa_matrix_of_block(c, out->term, out->block, error)
                                                           : soa_matrix_of(c, out->term, error);
            if (!out->matrix) {
                return error->status != SOA_OK ? error->status : soa_fail_memory(error);
            }
        }
    }
    return SOA_OK;
}

static soa_status make(soa_compiled *c, soa_error *error)
{
    soa_status status = recognise_vectors(c, error);
    status = status == SOA_OK && c->recogniser->equal ? soa_compiled_simplify(c, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    c->graph = soa_compiled_graph(c, error);
    status = soa_compiled_lower(c, &c->graph, -1);
    status = status == SOA_OK ? soa_compiled_complete(c, &c->graph, error) : status;
    return status == SOA_OK ? make_operators(c, error) : status;
}

soa_status soa_compile(const soa_model *model, soa_program *program, soa_writing writing, int count,
    const int *statement, soa_compiled **compiled, soa_error *error)
{
    if (!program || !compiled) {
        return soa_fail_null(error, "the program or the result");
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
    *c = (soa_compiled){
        .allocator = *from, .model = model, .terms = terms, .program = program, .recogniser = &recogniser
    };
    c->arena = soa_arena_on(&c->allocator);
    soa_status status = add_statements(c, count, statement, error);
    if (status == SOA_OK) {
        status = soa_recogniser_init(&recogniser, terms, model, model && writing == SOA_SIMPLIFIED, error);
        status = status == SOA_OK ? make(c, error) : status;
        soa_recogniser_clear(&recogniser);
    }
    c->recogniser = NULL;
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
    for (int i = 0; i < compiled->graphs.count; i++) {
        soa_graph_free(*(soa_graph **)soa_array_at(&compiled->graphs, i));
    }
    if (compiled->graph.terms) { /* it was begun */
        soa_graph_free(&compiled->graph);
    }
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
