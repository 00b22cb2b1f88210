/* Expressions compiled for models: inputs, outputs, sweeps, steps and matrices, and what they give at one state to five digits,
 * beside what was approved. */
#include "expr/approved_program.h"
#include "expr/compile.h"

static soa_allocator allocator;

/* ---- listings --------------------------------------------------------------------------------------------------- */

static const char *code_text(soa_code code)
{
    static const char *const text[] = {
#define INSTRUCTION(name) [SOA_CODE_##name] = #name,
#include "expr/instructions.def"
#undef INSTRUCTION
#define WHOLE_INSTRUCTION(name) [SOA_CODE_##name] = "all " #name,
#include "expr/instructions.def"
#undef WHOLE_INSTRUCTION
        [SOA_CODE_NONE] = "nothing",
    };
    return text[code];
}

static void put_term(soa_page *page, const soa_terms *pool, const soa_term *term)
{
    if (term) {
        soa_page_put(page, " ");
        soa_print_term(pool, term, SOA_ASCII, page);
    }
}

static void put_step(soa_page *page, const soa_graph *graph, int i)
{
    const soa_step *s = soa_graph_step(graph, i);
    soa_page_format(page,
        "%d: %s, kind %d, place %d %d, op %d%s, state %d, sweep %d, uses %d, %s%s -> %d %d from %d %d, "
        "need %d, matrix %d, along",
        i, code_text(s->code), (int)s->kind, (int)s->place.space, (int)s->place.side,
        s->kind == SOA_STEP_APPLY ? (int)s->op : 0, s->adjoint ? "'" : "",
        s->kind == SOA_STEP_STATE ? (int)s->state : 0, graph->schedule.sweep[i], s->uses,
        s->kind == SOA_STEP_INPUT ? s->name : "", graph->demanded && graph->demanded[i] ? " kept" : "", s->y, s->y2,
        s->x, s->x2, s->need, s->matrix);
    for (int k = 0; k < s->along.count; k++) {
        soa_page_format(page, " %d", s->along.at[k]);
    }
    for (int k = 0; k < s->count; k++) {
        soa_page_format(page, ", %g x %d", s->factor ? s->factor[k] : 1.0, s->input[k]);
    }
    soa_page_put(page, "\n");
}

static void put_order(soa_page *page, const char *name, const soa_graph *graph, const soa_instructions *order)
{
    soa_page_format(page, "%s:", name);
    for (int i = 0; i < order->code.count; i++) {
        const soa_step *const *step = soa_array_at(&order->code, i);
        soa_page_format(page, " %d", (int)(*step - soa_graph_step(graph, 0)));
    }
    for (int i = 0; order->first && i <= graph->schedule.sweeps; i++) {
        soa_page_format(page, "; %d %d", order->first[i], order->whole[i]);
    }
    soa_page_put(page, "\n");
}

static void put_graph(soa_page *page, const soa_graph *graph);

static void put_matrix(soa_page *page, const soa_terms *pool, const soa_graph_matrix *m, int depth)
{
    const soa_direction along = m->slope[0], then = m->slope[1];
    soa_page_format(page, "%*smatrix kind %d%s%s, kernel %d, measure %d, index %d, by %d, block %s %s,", 2 * depth, "",
        (int)m->kind, m->blocks ? " blocks" : "", m->adjoint ? " adjoint" : "",
        m->kind == SOA_MATRIX_KERNEL ? (int)m->kernel : 0, (int)m->measure,
        along.by == SOA_BY_NOTHING ? m->index : along.velocity, (int)along.by, m->block.row ? m->block.row : "-",
        m->block.col ? m->block.col : "-");
    if (then.by != SOA_BY_NOTHING) {
        soa_page_format(page, " then %d by %d,", then.velocity, (int)then.by);
    }
    put_term(page, pool, m->term);
    put_term(page, pool, m->rate);
    soa_page_put(page, "\n");
    for (int i = 0; i < m->count; i++) {
        soa_page_format(page, "%g\n", m->factor ? m->factor[i] : 1.0);
        put_matrix(page, pool, m->part[i], depth + 1);
    }
    if (m->graph) {
        put_graph(page, m->graph);
    }
}

static void put_graph(soa_page *page, const soa_graph *graph)
{
    const soa_cost *cost = &graph->cost;
    soa_page_format(page,
        "graph:%s%s%s%s%s order %d, sweeps %d of %d, %g flops, %d steps, %d sweeps run, %d counted%s\n",
        graph->rotors ? " rotors" : "", graph->literal ? " literal" : "", graph->turning ? " turning" : "",
        graph->points ? " points" : "", graph->velocities ? " velocities" : "", cost->order, cost->sweeps,
        cost->sweeps_written, cost->flops, cost->steps, graph->schedule.sweeps, graph->schedule.counted,
        graph->schedule.inward_first ? ", inward first" : "");
    for (int i = 0; i < graph->steps.count; i++) {
        put_step(page, graph, i);
    }
    for (int i = 0; i < graph->coordinates.count; i++) {
        const soa_graph_coordinate *c = soa_array_at(&graph->coordinates, i);
        soa_page_format(page, "coordinate %d: by %d, velocity %d, body %d\n", i, (int)c->by, c->velocity, c->body);
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *o = soa_array_at(&graph->outputs, i);
        soa_page_format(page, "output %s: step %d\n", o->name, o->step);
    }
    put_order(page, "all", graph, &graph->all);
    put_order(page, "again", graph, &graph->again);
    for (int i = 0; i < graph->matrices.count; i++) {
        put_matrix(page, graph->terms, soa_array_at(&graph->matrices, i), 1);
    }
}

static void put_bound(soa_page *page, const char *what, soa_bound_info info)
{
    soa_page_format(page, "%s %s: %d %d -> %d %d\n", what, info.name, (int)info.from_space, (int)info.from_side,
        (int)info.to_space, (int)info.to_side);
}

static void put_compiled(soa_page *page, const soa_compiled *compiled)
{
    soa_page_format(page, "sweeps %d of %d\n", soa_compiled_sweeps(compiled), soa_compiled_sweeps_written(compiled));
    for (int i = 0; i < soa_compiled_inputs(compiled); i++) {
        put_bound(page, "input", soa_compiled_input_info(compiled, i));
    }
    for (int i = 0; i < soa_compiled_outputs(compiled); i++) {
        const soa_compiled_output *o = soa_compiled_output_at(compiled, i);
        put_bound(page, "output", soa_compiled_output_info(compiled, i));
        soa_page_format(page, "kernel %d, vector %d, block %s %s,", (int)o->kernel, o->vector,
            o->block.row ? o->block.row : "-", o->block.col ? o->block.col : "-");
        put_term(page, compiled->terms, o->term);
        soa_page_put(page, "\n");
        if (o->matrix) {
            put_matrix(page, compiled->terms, o->matrix, 1);
        }
    }
    put_graph(page, &compiled->graph);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

enum { NUMBERS = 8192, ROWS = 3 };

static void numbers_of(unsigned long long seed, double *x, int count)
{
    for (int i = 0; i < count; i++) {
        x[i] = soa_model_random_number(&seed);
    }
}

/* Binds all inputs, each to numbers of its own, and all outputs; how many numbers come out, -1: too many. */
static int bind_all(soa_page *page, const soa_compiled *compiled, soa_runner *runner, double *out)
{
    static double given[8][NUMBERS];
    soa_error error;
    int used = 0;
    for (int i = 0; i < soa_compiled_inputs(compiled) && i < 8; i++) {
        const char *name = soa_compiled_input_info(compiled, i).name;
        const int count = soa_runner_numbers(runner, name);
        soa_page_format(page, "%s: %d numbers in %d rows\n", name, count, soa_runner_rows(runner, name));
        if (count < 0 || count > NUMBERS) {
            return -1;
        }
        numbers_of((unsigned long long)i + 5, given[i], count);
        if (!soa_compiled_input_at(compiled, i)->value && soa_runner_bind(runner, name, given[i], &error) != SOA_OK) {
            put_error(page, &error);
        }
    }
    for (int i = 0; i < soa_compiled_outputs(compiled); i++) {
        const char *name = soa_compiled_output_info(compiled, i).name;
        const int count = soa_runner_numbers(runner, name);
        soa_page_format(page, "%s: %d numbers in %d rows\n", name, count, soa_runner_rows(runner, name));
        if (used + count > NUMBERS || soa_runner_bind_output(runner, name, out + used, &error) != SOA_OK) {
            return -1;
        }
        used += count;
    }
    return used;
}

/* What it gives at one state with one point; numbers that are small beside the largest one are 0. */
static void put_numbers(soa_page *page, const soa_model *model, const soa_compiled *compiled)
{
    static double out[NUMBERS], rows[ROWS * 6], q[256];
    soa_point point;
    soa_runner *runner = NULL;
    soa_error error;
    const char *last = soa_model_link(model, soa_model_links(model) - 1)->name;
    assert_int_equal(soa_model_find_point(model, last, &point, NULL), SOA_OK);
    point.at.position[1] = 0.25;
    unsigned long long seed = 3;
    soa_random_configuration(model, &seed, q);
    numbers_of(11, rows, ROWS * 6);
    if (soa_runner_new(compiled, 1, &point, NULL, &runner, &error) != SOA_OK ||
        soa_runner_set_constraints(runner, ROWS, rows, &error) != SOA_OK) {
        put_error(page, &error);
        soa_runner_free(runner);
        return;
    }
    const int count = bind_all(page, compiled, runner, out);
    assert_true(count >= 0);
    const soa_status status = soa_runner_run(runner, 1, q, &error);
    double largest = 0.0;
    for (int i = 0; i < count && status == SOA_OK; i++) {
        largest = fmax(largest, fabs(out[i]));
    }
    if (status != SOA_OK && status != SOA_E_SINGULAR) {
        put_error(page, &error);
    }
    for (int i = 0; i < count && status == SOA_OK && largest < 1e9; i++) { /* else it is singular, but for rounding */
        soa_page_format(page, "%.5g ", fabs(out[i]) <= 1e-8 * largest || largest < 1e-8 ? 0.0 : out[i]);
    }
    soa_page_put(page, "\n");
    soa_runner_free(runner);
}

/* ---- cases --------------------------------------------------------------------------------------------------------- */

static void approve_compiled(
    approved *a, const char *text, const soa_model *model, soa_writing writing, const char *part)
{
    soa_program *program = program_of(text, SOA_READ_PROGRAM);
    soa_compiled *compiled = NULL;
    soa_error error;
    soa_page page = soa_page_on(&allocator);
    if (soa_compile(model, program, writing, 0, NULL, &compiled, &error) == SOA_OK) {
        put_compiled(&page, compiled);
        put_numbers(&page, model, compiled);
    } else {
        put_error(&page, &error);
    }
    approve_page(a, part, &page);
    soa_compiled_free(compiled);
    soa_program_free(program);
}

static void expressions_are_compiled(void **state)
{
    (void)state;
    static const struct {
        const char *part, *builtin;
        soa_writing writing;
    } way[] = {
        { "arm", "arm7", SOA_AS_WRITTEN },
        { "cheaper", "arm7", SOA_SIMPLIFIED },
        { "legs", "quadruped", SOA_AS_WRITTEN },
        { "tree", "tree:9,4", SOA_AS_WRITTEN },
        { "flexible", "flexible-chain:3,2", SOA_AS_WRITTEN },
    };
    soa_model *model[COUNT_OF(way)];
    approved a = approved_open("expr-compiled");
    for (int m = 0; m < COUNT_OF(way); m++) {
        assert_int_equal(soa_model_builtin(way[m].builtin, NULL, &model[m], NULL), SOA_OK);
    }
    for (int i = 0; i < COUNT_OF(EXPRESSIONS); i++) {
        approved_case(&a, EXPRESSIONS[i]);
        for (int m = 0; m < COUNT_OF(way); m++) {
            approve_compiled(&a, EXPRESSIONS[i], model[m], way[m].writing, way[m].part);
        }
        approved_end(&a);
    }
    approved_close(&a);
    for (int m = 0; m < COUNT_OF(way); m++) {
        soa_model_free(model[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(expressions_are_compiled) };
    allocator = soa_allocator_default();
    return cmocka_run_group_tests_name("approved_compiled", tests, NULL, NULL);
}
