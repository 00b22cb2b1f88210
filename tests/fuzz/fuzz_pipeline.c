/* tests/fuzz/fuzz_pipeline.c - any program of the operator language through all that is done with it.
 *
 * Its expressions are compiled and run on a small model, its last equation is proved or refuted, within a few
 * milliseconds; of one text in eight the expressions are also explained and simplified, and run so, and the proof has its time.
 * Each may be refused, with a message, but ends, and releases its memory. */
#include "fuzz/bounded.h"
#include "soa/expr.h"

/* Longer texts only take longer: what is tried is what is done with an expression. */
enum { LONGEST = 300, STATEMENTS = 4, NUMBERS = 1 << 16, WHOLE = 8, ASKED = 20 };

/* A text, and what is done with it: all of it, or as much as ends soon. */
typedef struct job {
    const char *text;
    bool whole;
    int asked; /* how often proofs have asked whether to go on */
    const soa_allocator *allocator;
    const soa_model *model;
} job;

static bool is_enough(void *context)
{
    job *j = context;
    return ++j->asked > ASKED;
}

static void check(soa_status status, const soa_error *error, const char *what)
{
    if (status != SOA_OK && (error->status != status || error->text[0] == '\0')) {
        stop(what, "failed without a message", NULL);
    }
}

static void prove(job *j)
{
    soa_program *program = NULL;
    soa_error error;
    char *said = NULL;
    soa_verdict verdict;
    if (soa_program_new(j->allocator, &program, &error) != SOA_OK) {
        return;
    }
    soa_program_limit(program, 1.0, j->whole ? NULL : is_enough, j);
    if (soa_program_read(program, j->text, SOA_READ_EQUATION, &error) == SOA_OK) {
        check(soa_program_prove(program, soa_program_statements(program) - 1, SOA_ASCII, &verdict, &said, &error),
            &error, "prove");
        soa_program_text_free(program, said);
    }
    soa_program_free(program);
}

/* Its outputs at one state, all inputs zero or one. */
static void run(const job *j, const soa_compiled *compiled)
{
    static double out[NUMBERS], in[NUMBERS], q[64];
    static const soa_point point[] = { { 1, { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0.1, 0.2, 0.3 } } } };
    soa_runner *runner = NULL;
    soa_error error;
    soa_status status = soa_runner_new(compiled, 1, point, j->allocator, &runner, &error);
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
    soa_model_neutral(j->model, q);
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

static void evaluate(const job *j)
{
    soa_program *program = NULL;
    soa_compiled *compiled = NULL;
    soa_error error;
    if (soa_program_new(j->allocator, &program, &error) == SOA_OK &&
        soa_program_read(program, j->text, SOA_READ_PROGRAM, &error) == SOA_OK &&
        soa_program_statements(program) <= STATEMENTS) {
        for (int i = 0; j->whole && i < soa_program_statements(program); i++) {
            if (soa_program_statement(program, i).kind != SOA_STATEMENT_DECLARATION) {
                say(program, i);
            }
        }
        const soa_writing writing = j->whole ? SOA_SIMPLIFIED : SOA_AS_WRITTEN;
        const soa_status status = soa_compile(j->model, program, writing, 0, NULL, &compiled, &error);
        check(status, &error, "compile");
        if (status == SOA_OK) {
            run(j, compiled);
        }
    }
    soa_compiled_free(compiled);
    soa_program_free(program);
}

/* The model of all runs. */
static const soa_model *model_of_all(void)
{
    static soa_model *model;
    soa_error error;
    if (!model && soa_model_builtin("tree:4,3", NULL, &model, &error) != SOA_OK) {
        stop("model", error.text, NULL);
    }
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t left = MEMORY_LIMIT;
    const soa_allocator allocator = { bounded_allocate, bounded_release, &left };
    char *text = size < LONGEST ? malloc(size + 1) : NULL;
    if (text) {
        unsigned hash = 7;
        for (size_t i = 0; i < size; i++) {
            hash = hash * 31 + data[i];
        }
        memcpy(text, data, size);
        text[size] = '\0';
        job j = { text, hash % WHOLE == 0, 0, &allocator, model_of_all() };
        prove(&j);
        evaluate(&j);
        free(text);
    }
    if (left != MEMORY_LIMIT) {
        stop("memory", "not all was released", NULL);
    }
    return 0;
}
