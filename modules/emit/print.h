/* emit/print.h - a tape as a C function. */
#ifndef SOA_EMIT_PRINT_H
#define SOA_EMIT_PRINT_H

#include "emit/tape.h"
#include "emit/text.h"

enum { EMIT_ARRAYS = 8 };

typedef struct emit_array {
    const char *name;
    int size;
    double *value; /* of an output */
} emit_array;

typedef struct emit_style {
    bool single; /* float */
    int lanes;   /* states at once; 1: one */
    bool literal;
    bool libm; /* sin and cos of <math.h> */
} emit_style;

typedef struct emit_function {
    tape *t;
    const char *name;
    emit_style style;
    int inputs, outputs;
    emit_array in[EMIT_ARRAYS], out[EMIT_ARRAYS];
} emit_function;

/* What was printed. */
typedef struct emit_counts {
    int operations[COUNTS];
    int statements, functions, shared; /* shared: numbers on the stack that functions hand on */
} emit_counts;

/* "void NAME(const double *q, ..., double *tau)" */
void emit_signature(text *to, const emit_function *f);

/* What the functions need: types, sine and cosine. */
void emit_prelude(text *to, const emit_function *f, bool sines, bool roots);

/* The function, after static ones that it is split into; counts may be wanted alone (to NULL). */
bool emit_body(text *to, const emit_function *f, emit_counts *counts);

#endif
