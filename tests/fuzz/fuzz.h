/* tests/fuzz/fuzz.h - what the fuzzers of the three formats share.
 *
 * Any bytes may be offered to a reader. It may refuse them; but if it makes a
 * model of them, that model must be written as YAML and read back equal. Memory
 * is bounded, as a text may ask for a large built-in model. */
#ifndef SOA_FUZZ_H
#define SOA_FUZZ_H

#include "fuzz/bounded.h"
#include "io/same_model.h"
#include "soa/io.h"

static void check_round_trip(const soa_model *model, const soa_allocator *allocator)
{
    char *text, where[200];
    size_t length;
    soa_model *back;
    soa_error error;
    soa_status status = soa_write(model, SOA_YAML, allocator, &text, &length, &error);
    if (status != SOA_OK) {
        if (status != SOA_E_MEMORY) {
            stop("written", error.text, NULL);
        }
        return;
    }
    status = soa_load_text(SOA_YAML, text, length, NULL, allocator, &back, &error);
    if (status == SOA_OK && !same_model(model, back, where, sizeof where)) {
        stop("read back", where, text);
    }
    if (status != SOA_OK && status != SOA_E_MEMORY) {
        stop("read back", error.text, text);
    }
    soa_model_free(back);
    soa_text_free(allocator, text);
}

static int fuzz(soa_format format, const uint8_t *data, size_t size)
{
    size_t left = MEMORY_LIMIT;
    const soa_allocator allocator = { bounded_allocate, bounded_release, &left };
    soa_model *model;
    soa_error error;
    const soa_status status = soa_load_text(format, (const char *)data, size, NULL, &allocator, &model, &error);
    if (status == SOA_OK) {
        check_round_trip(model, &allocator);
        soa_model_free(model);
    } else if (model || error.status != status || error.text[0] == '\0') {
        stop("refused", "without a message or with a model", NULL);
    }
    if (left != MEMORY_LIMIT) {
        stop("memory", "not all was released", NULL);
    }
    return 0;
}

#endif
