/* expr/report_proof.c - a proof, a counterexample or neither, as text. */
#include "expr/report.h"

#include "core/error.h"

void soa_report_steps(
    soa_terms *pool, const soa_term *given, int steps, const soa_proof_step *step, soa_notation notation, soa_page *out)
{
    soa_page_put(out, "    ");
    soa_print_term(pool, given, notation, out);
    soa_page_put(out, "\n");
    for (int i = 0; i < steps; i++) {
        soa_page_put(out, "  = ");
        soa_print_term(pool, step[i].term, notation, out);
        soa_page_format(
            out, step[i].label[0] ? "    by [%s]\n" : "    %s\n", step[i].label[0] ? step[i].label : "rearranged");
    }
}

static void put_proved(soa_terms *pool, const soa_term *left, const soa_proof *proof, soa_notation n, soa_page *out)
{
    soa_page_format(out, "proved in %d steps\n", proof->steps);
    soa_report_steps(pool, left, proof->steps, proof->step, n, out);
    if (proof->checked) {
        soa_page_format(
            out, "certificate: a sum of %d defining relations, multiplied out and checked\n", proof->relations);
    }
    soa_page_put(out, proof->with_rotors ? "It holds with rotors (Arm, Gamma) too.\n"
                                         : "It holds for systems without rotors (Arm, Gamma).\n");
    soa_page_put(out, proof->inverses ? "It takes for granted that the inverses in it exist.\n" : "");
}

static void put_refuted(const soa_counterexample *c, soa_page *out)
{
    soa_page_format(out,
        "false: on a random tree of %d bodies entry (%d, %d) is %.6g on the left and %.6g on the right\n", c->bodies,
        c->row + 1, c->col + 1, c->left, c->right);
    soa_page_format(out, "counterexample: %s at the random configuration of seed %llu\n", c->system, c->seed);
}

static void put_open(const soa_proof *proof, soa_page *out)
{
    if (proof->systems == 0) {
        soa_page_put(out, "not proved; it could not be evaluated on any of the random systems tried\n");
    } else {
        soa_page_format(
            out, "not proved; holds numerically on %d random systems to %.0e\n", proof->systems, SOA_PROVE_TOLERANCE);
        soa_page_format(out, "largest relative difference %.1e\n", proof->difference);
    }
    if (proof->singular > 0) {
        soa_page_format(out, "%d more systems were left out: an inverse does not exist there\n", proof->singular);
    }
    soa_page_put(out, proof->budget_spent ? "The search for a proof ended with its budget.\n" : "");
}

soa_status soa_program_prove(
    soa_program *program, int statement, soa_notation notation, soa_verdict *verdict, char **text, soa_error *error)
{
    const soa_statement *s;
    soa_proof proof;
    soa_terms *pool = soa_program_terms(program);
    *text = NULL;
    *verdict = SOA_OPEN;
    soa_status status = soa_program_find(program, statement, &s, error);
    if (status == SOA_OK && !s->right) {
        status = soa_fail(error, SOA_E_ARGUMENT, -1, "this is no equation; write A = B");
    }
    status = status == SOA_OK ? soa_prove(pool, s->term, s->right, &proof, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    soa_page out = soa_page_on(soa_terms_allocator(pool));
    *verdict = proof.verdict;
    switch (proof.verdict) {
    case SOA_PROVED:
        put_proved(pool, s->term, &proof, notation, &out);
        break;
    case SOA_REFUTED:
        put_refuted(&proof.counterexample, &out);
        break;
    case SOA_OPEN:
        put_open(&proof, &out);
        break;
    }
    soa_proof_free(&proof);
    return soa_page_give(&out, text, error);
}
