/* expr/refute.c - both sides of a statement on random systems: exactly, and in doubles to show where they differ. */
#include "core/error.h"
#include "expr/exact.h"
#include "expr/prove.h"

typedef struct question {
    soa_terms *terms;
    const soa_term *left, *right;
    bool rotors;
} question;

/* ---- doubles -------------------------------------------------------------------------------------------- */

/* Systems on which doubles are to show a difference. */
enum { SHOWN_MOST = 20 };

/* Seeks a system on which the sides differ in doubles: by far more than rounding, unless it is certain that they differ. */
static soa_status in_doubles(const question *ask, bool certain, soa_proof *proof, soa_error *error)
{
    unsigned long long seed = 1;
    proof->systems = proof->singular = 0;
    for (int i = 0; i < SHOWN_MOST && !proof->counterexample.system[0] && !soa_terms_expired(ask->terms); i++) {
        soa_counterexample *c = &proof->counterexample;
        const soa_status status =
            soa_replay(ask->terms, ask->left, ask->right, ask->rotors, certain ? 1e-9 : 1e-5, &seed, c);
        if (status == SOA_E_MEMORY) {
            return soa_fail_memory(error);
        }
        proof->systems += status == SOA_OK;
        proof->singular += status == SOA_E_SINGULAR;
    }
    return SOA_OK;
}

/* ---- exactly --------------------------------------------------------------------------------------------- */

/* On so many systems where it can be evaluated; roots: signs of roots are arbitrary. */
static soa_status exactly(const question *ask, int systems, bool *roots, soa_proof *proof)
{
    const int tries = systems > SOA_PROVE_SYSTEMS ? systems : SOA_PROVE_SYSTEMS;
    soa_exact_answer answer = { .evaluated = true };
    for (int i = 1; i <= tries && proof->systems < systems && answer.evaluated && !answer.differs; i++) {
        const soa_status status =
            soa_exact_compare(ask->terms, ask->left, ask->right, (unsigned)i, ask->rotors, &answer);
        if (status != SOA_OK) {
            return status;
        }
        proof->systems += answer.evaluated && answer.exists;
        proof->singular += answer.evaluated && !answer.exists;
        proof->counterexample.bodies = answer.bodies;
        proof->counterexample.seed = (unsigned)i;
    }
    *roots = answer.roots;
    proof->exact = proof->systems + proof->singular > 0;
    proof->verdict = answer.differs ? SOA_REFUTED : SOA_OPEN;
    return SOA_OK;
}

soa_status soa_refute(soa_terms *terms, const soa_term *left, const soa_term *right, int systems, bool rotors,
    soa_proof *proof, soa_error *error)
{
    const question ask = { terms, left, right, rotors };
    bool roots;
    proof->systems = proof->singular = 0;
    proof->counterexample = (soa_counterexample){ 0 };
    if (exactly(&ask, systems, &roots, proof) != SOA_OK) {
        return soa_fail_memory(error);
    }
    const bool differs = proof->verdict == SOA_REFUTED;
    if ((!differs && (proof->exact || !roots)) || soa_terms_assumptions(terms) > 0) {
        return SOA_OK; /* doubles do not tell whether what is assumed holds */
    }
    soa_proof shown = *proof; /* doubles show it, or are all there is for want of roots */
    const soa_status status = in_doubles(&ask, differs, &shown, error);
    if (shown.counterexample.system[0]) {
        proof->counterexample = shown.counterexample;
        proof->verdict = SOA_REFUTED;
    } else if (!proof->exact || roots) {
        proof->exact = false;
        proof->verdict = SOA_OPEN;
        proof->systems = shown.systems;
        proof->singular = shown.singular;
    }
    return status;
}
