/* tests/fuzz/fuzz_pipeline.c - any program of the operator language through all that is done with it.
 *
 * Its expressions are simplified, explained, compiled and run on a small model, its last equation
 * is proved or refuted. Each may be refused, with a message, but ends, and releases its memory. */
#include "fuzz/bounded.h"
#include "soa/expr.h"

/* Longer texts only take longer: what is tried is what is done with an expression. */
enum { LONGEST = 300, STATEMENTS = 4, NUMBERS = 1 << 16 };

static void check(soa_status status, const soa_error *error, const char *what)
{
    if (status != SOA_OK && (error->status != status || error->text[0] == '\0')) {
        stop(what, "failed without a message", NULL);
    }
}

static void prove(const char *text, const soa_allocator *allocator)
{
    soa_program *program = NULL;
    soa_error error;
    char *said = NULL;
    soa_verdict verdict;
    if (soa_program_new(allocator, &program, &error) != SOA_OK) {
        return;
    }
    if (soa_program_read(program, text, SOA_READ_EQUATION, &error) == SOA_OK) {
        check(soa_program_prove(program, soa_program_statements(program) - 1, SOA_ASCII, &verdict, &said, &error),
            &error, "prove");
        soa_program_text_free(program, said);
    }
    soa_program_free(program);
}

/* Its outputs at one state, all inputs zero or one. */
static void run(const soa_model *model, const soa_compiled *compiled, const soa_allocator *allocator)
{
    static double out[NUMBERS], in[NUMBERS], q[64];
    static const soa_point point[] = { { 1, { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0.1, 0.2, 0.3 } } } };
    soa_runner *runner = NULL;
    soa_error error;
    soa_status status = soa_runner_new(compiled, 1, point, allocator, &runner, &error);
    check(status, &error, "runner");
    if (status != SOA_OK) {
        return;
    }
    for (int i = 0; i < NUMBERS; i++) {
        in[i] = i % 3;
    }
    for (int i = 0; i < soa_compiled_inputs(compiled); i++) {
        const char *name = soa_compiled_input_info(compiled, i).name;
        if (soa_runner_numbers(runner, name) <= NUMBERS) {
            check(soa_runner_bind(runner, name, in, &error), &error, "bind");
        }
    }
    for (int i = 0; i < soa_compiled_outputs(compiled); i++) {
        const char *name = soa_compiled_output_info(compiled, i).name;
        if (soa_runner_numbers(runner, name) <= NUMBERS) {
            check(soa_runner_bind_output(runner, name, out, &error), &error, "bind output");
        }
    }
    soa_model_neutral(model, q);
    check(soa_runner_run(runner, 1, q, &error), &error, "run");
    soa_runner_free(runner);
}

static void say(soa_program *program, int statement)
{
    char *text = NULL, *more = NULL;
    soa_error error;
    for (soa_explanation what = SOA_EXPLAIN_SWEEPS; what < SOA_EXPLANATIONS; what++) {
        check(soa_program_explain(program, statement, SOA_UNICODE, what, &text, &error), &error, "explain");
        soa_program_text_free(program, text);
    }
    check(soa_program_simplify(program, statement, SOA_ASCII, &text, &more, &error), &error, "simplify");
    soa_program_text_free(program, text);
    soa_program_text_free(program, more);
}

static void evaluate(const char *text, const soa_allocator *allocator)
{
    soa_program *program = NULL;
    soa_model *model = NULL;
    soa_compiled *compiled = NULL;
    soa_error error;
    if (soa_program_new(allocator, &program, &error) == SOA_OK &&
        soa_program_read(program, text, SOA_READ_PROGRAM, &error) == SOA_OK &&
        soa_program_statements(program) <= STATEMENTS &&
        soa_model_builtin("tree:4,3", allocator, &model, &error) == SOA_OK) {
        for (int i = 0; i < soa_program_statements(program); i++) {
            if (soa_program_statement(program, i).kind != SOA_STATEMENT_DECLARATION) {
                say(program, i);
            }
        }
        const soa_status status = soa_compile(model, program, SOA_SIMPLIFIED, 0, NULL, &compiled, &error);
        check(status, &error, "compile");
        if (status == SOA_OK) {
            run(model, compiled, allocator);
        }
    }
    soa_compiled_free(compiled);
    soa_program_free(program);
    soa_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t left = MEMORY_LIMIT;
    const soa_allocator allocator = { bounded_allocate, bounded_release, &left };
    char *text = size < LONGEST ? malloc(size + 1) : NULL;
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        prove(text, &allocator);
        evaluate(text, &allocator);
        free(text);
    }
    if (left != MEMORY_LIMIT) {
        stop("memory", "not all was released", NULL);
    }
    return 0;
}
