/* expr/recognise.h - which kernel computes an expression: the list kernels.def, by normal forms. */
#ifndef SOA_EXPR_RECOGNISE_H
#define SOA_EXPR_RECOGNISE_H

#include "expr/theory.h"
#include "soa/model.h"

typedef enum soa_expr_kernel {
#define KERNEL_OF(name, text, reads, how) SOA_BY_##name,
#include "expr/kernels.def"
#undef KERNEL_OF
    SOA_BY_NONE
} soa_expr_kernel;

typedef struct soa_recogniser {
    soa_terms *terms;
    bool flexible;     /* the model has flexible links */
    bool equal;        /* what equals an expression of the list is it; false: only what is written so */
    soa_theory theory; /* if equal */
} soa_recogniser;

soa_status soa_recogniser_init(
    soa_recogniser *recogniser, soa_terms *terms, const soa_model *model, bool equal, soa_error *error);
void soa_recogniser_clear(soa_recogniser *recogniser);

/* The kernel of a term; SOA_BY_NONE: there is none, or no room to find it. */
soa_expr_kernel soa_recognise(soa_recogniser *recogniser, const soa_term *term);

/* What decides which definitions hold: rotors, and armature of joints whose velocities turn with the link. */
bool soa_has_rotors(const soa_model *model);
bool soa_has_turning_armature(const soa_model *model);

/* What a kernel reads besides q and beta. */
const char *soa_kernel_reads(soa_expr_kernel kernel);

#endif
