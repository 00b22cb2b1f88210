/* tests/fuzz/fuzz_pipeline.c - any program of the operator language through all that is done with it.
 *
 * Its expressions are simplified, explained, compiled and run on a small model, its last equation
 * is proved or refuted. Each may be refused, with a message, but ends, and releases its memory. */
#include "fuzz/bounded.h"
#include "soa/expr.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t left = MEMORY_LIMIT;
    const soa_allocator allocator = { bounded_allocate, bounded_release, &left };
    char *text = size < 2000 ? malloc(size + 1) : NULL;
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        prove(text, &allocator);
        free(text);
    }
    if (left != MEMORY_LIMIT) {
        stop("memory", "not all was released", NULL);
    }
    return 0;
}
