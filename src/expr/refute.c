/* expr/refute.c - both sides of a statement on random systems: exactly, and in doubles to show where they differ. */
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
static void in_doubles(const question *ask, bool certain, soa_proof *proof)
{
    soa_counterexample *c = &proof->counterexample;
    unsigned long long seed = 1;
    proof->systems = proof->singular = 0;
    for (int i = 0; i < SHOWN_MOST && !c->system[0] && !soa_terms_expired(ask->terms); i++) {
        const soa_status status =
            soa_replay(ask->terms, ask->left, ask->right, ask->rotors, certain ? 1e-9 : 1e-5, &seed, c);
        proof->systems += status == SOA_OK;
        proof->singular += status == SOA_E_SINGULAR;
    }
}

/* ---- exactly --------------------------------------------------------------------------------------------- */

/* On so many systems where it can be evaluated. Returns whether there are roots, whose signs are arbitrary. */
static bool exactly(const question *ask, int systems, soa_proof *proof)
{
    const int tries = systems > SOA_PROVE_SYSTEMS ? systems : SOA_PROVE_SYSTEMS;
    soa_exact_answer answer = { .evaluated = true };
    for (int i = 1; i <= tries && proof->systems < systems && answer.evaluated && !answer.differs; i++) {
        answer = soa_exact_compare(ask->terms, ask->left, ask->right, (unsigned)i, ask->rotors);
        proof->systems += answer.evaluated && answer.exists;
        proof->singular += answer.evaluated && !answer.exists;
        proof->counterexample.bodies = answer.bodies;
        proof->counterexample.seed = (unsigned)i;
    }
    proof->exact = proof->systems + proof->singular > 0;
    proof->verdict = answer.differs ? SOA_REFUTED : SOA_OPEN;
    return answer.roots;
}

void soa_refute(
    soa_terms *terms, const soa_term *left, const soa_term *right, int systems, bool rotors, soa_proof *proof)
{
    const question ask = { terms, left, right, rotors };
    proof->systems = proof->singular = 0;
    proof->counterexample = (soa_counterexample){ 0 };
    const bool roots = exactly(&ask, systems, proof), differs = proof->verdict == SOA_REFUTED;
    if ((!differs && (proof->exact || !roots)) || soa_terms_assumptions(terms) > 0) {
        return; /* doubles do not tell whether what is assumed holds */
    }
    soa_proof shown = *proof; /* doubles show it, or are all there is for want of roots */
    in_doubles(&ask, differs, &shown);
    if (shown.counterexample.system[0]) {
        proof->counterexample = shown.counterexample;
        proof->verdict = SOA_REFUTED;
    } else if (!proof->exact || roots) {
        proof->exact = false;
        proof->verdict = SOA_OPEN;
        proof->systems = shown.systems;
        proof->singular = shown.singular;
    }
}
