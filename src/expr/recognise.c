/* expr/recognise.c - which kernel computes an expression. */
#include "expr/recognise.h"

#include <string.h>

#include "expr/parse.h"
#include "model/model.h"

static const struct {
    const char *text, *reads;
} list[] = {
#define KERNEL_OF(name, text, reads, how) { text, reads },
#include "expr/kernels.def"
#undef KERNEL_OF
};

bool soa_has_rotors(const soa_model *model)
{
    bool found = false;
    for (int k = 0; model && k < model->bodies; k++) {
        found = found || model->body[k].armature != 0.0 || model->body[k].geared;
    }
    return found;
}

bool soa_has_turning_armature(const soa_model *model)
{
    bool found = false;
    for (int k = 0; model && k < model->bodies; k++) {
        const soa_joint_kind kind = model->body[k].rest->shape.kind;
        found = found || (model->body[k].armature != 0.0 && (kind == SOA_PLANAR || kind == SOA_FREE));
    }
    return found;
}

/* Uses of rules that one comparison may take: a long expression is none of the list. */
enum { REDUCTIONS_MOST = 20000 };

soa_status soa_recogniser_init(
    soa_recogniser *recogniser, soa_terms *terms, const soa_model *model, bool equal, soa_error *error)
{
    *recogniser = (soa_recogniser){ .terms = terms, .flexible = model && model->flexible, .equal = equal };
    if (!equal) {
        return SOA_OK;
    }
    const soa_theory_kind kind = soa_has_rotors(model) ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN;
    const soa_status status = soa_theory_init(&recogniser->theory, kind, terms, error);
    if (status != SOA_OK) {
        recogniser->equal = false;
        return status;
    }
    recogniser->theory.budget.reductions = REDUCTIONS_MOST;
    if (!soa_has_turning_armature(model)) { /* no velocities turn with a link that has armature */
        (void)soa_theory_relate(&recogniser->theory, soa_theory_text(&recogniser->theory, "b_Arm"), "armature");
    }
    return SOA_OK;
}

void soa_recogniser_clear(soa_recogniser *recogniser)
{
    if (recogniser->equal) {
        soa_theory_clear(&recogniser->theory);
    }
}

/* Whether the normal form of the difference is zero; a comparison that takes too long finds nothing. */
static bool is_equal(soa_recogniser *r, const soa_term *a, const soa_term *b)
{
    soa_theory *theory = &r->theory;
    theory->reductions = 0;
    const bool equal = soa_theory_equal(theory, a, b);
    theory->algebra.status = theory->algebra.status == SOA_E_MEMORY ? SOA_E_MEMORY : SOA_OK;
    return equal;
}

soa_expr_kernel soa_recognise(soa_recogniser *recogniser, const soa_term *term)
{
    const soa_term *by = term->kind == SOA_TERM_DERIVATIVE ? term->child[1] : NULL;
    const bool position =
        by && soa_derivative_by(soa_terms_about(recogniser->terms, by->variable)->name) == SOA_BY_POSITION;
    const soa_term *coordinate = position ? by : NULL;
    const bool equal = recogniser->equal && !(recogniser->flexible && term->derived); /* the theory has dM = 0 */
    for (int i = 0; i < SOA_BY_NONE; i++) {
        const soa_term *known = NULL;
        const bool fits = (coordinate || !strstr(list[i].text, "q_i")) &&
                          soa_derivative_parse(recogniser->terms, list[i].text, coordinate, &known) == SOA_OK;
        if (fits && (known == term ||
                        (equal && soa_type_equal(known->type, term->type) && is_equal(recogniser, term, known)))) {
            return (soa_expr_kernel)i;
        }
    }
    return SOA_BY_NONE;
}

const char *soa_kernel_reads(soa_expr_kernel kernel)
{
    return list[kernel].reads;
}
