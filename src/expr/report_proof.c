/* expr/report_proof.c - a proof, a counterexample or neither, as text. */
#include "expr/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"

void soa_report_line(soa_notation notation, soa_page *out, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    soa_page_format(out, "%s%s\n", notation == SOA_LATEX ? "% " : "", line);
}

static void put_label(const char *label, bool latex, soa_page *out)
{
    if (label[0] == '\0') {
        soa_page_put(out, latex ? " && \\text{rearranged}" : "    rearranged");
    } else {
        soa_page_format(out, latex ? " && \\text{by [%s]}" : "    by [%s]", label);
    }
}

void soa_report_steps(
    soa_terms *pool, const soa_term *given, int steps, const soa_proof_step *step, soa_notation notation, soa_page *out)
{
    const bool latex = notation == SOA_LATEX;
    soa_page_put(out, latex ? "\\begin{align*}\n  & " : "    ");
    soa_print_term(pool, given, notation, out);
    for (int i = 0; i < steps; i++) {
        soa_page_put(out, latex ? " \\\\\n  &= " : "\n  = ");
        soa_print_term(pool, step[i].term, notation, out);
        put_label(step[i].label, latex, out);
    }
    soa_page_put(out, latex ? "\n\\end{align*}\n" : "\n");
}

/* The hypotheses that the proof uses; all of them if its certificate is too long to tell. */
static void put_assumptions(const soa_terms *pool, const soa_proof *proof, soa_notation n, soa_page *out)
{
    for (int i = 0; i < soa_terms_assumptions(pool); i++) {
        const soa_assumption *assumed = soa_terms_assumption(pool, i);
        if (!proof->checked || !assumed->left || (i < 64 && proof->assumed >> i & 1)) {
            soa_report_line(n, out, "It uses %s: %s", assumed->label, assumed->text);
        }
    }
    if (soa_terms_assumptions(pool) > 0 && proof->systems == 0) {
        soa_report_line(n, out, "It was not evaluated: no random system was found on which the assumptions hold.");
    }
}

static void put_proved(soa_terms *pool, const soa_term *left, const soa_proof *proof, soa_notation n, soa_page *out)
{
    soa_report_line(n, out, "proved in %d steps", proof->steps);
    soa_report_steps(pool, left, proof->steps, proof->step, n, out);
    if (proof->checked) {
        soa_report_line(
            n, out, "certificate: a sum of %d defining relations, multiplied out and checked", proof->relations);
    } else {
        soa_report_line(n, out, "The certificate was too long to be multiplied out.");
    }
    if (proof->exact && proof->systems > 0) {
        soa_report_line(n, out, "It was evaluated exactly on %d random systems.", proof->systems);
    }
    put_assumptions(pool, proof, n, out);
    soa_report_line(n, out, "%s",
        proof->with_rotors ? "It holds with rotors (Arm, Gamma) too."
                           : "It holds for systems without rotors (Arm, Gamma).");
    if (proof->inverses) {
        soa_report_line(n, out, "It takes for granted that the inverses in it exist.");
    }
}

static void put_refuted(
    soa_terms *pool, const soa_statement *s, const soa_counterexample *c, soa_notation n, soa_page *out)
{
    if (!c->system[0]) {
        soa_report_line(n, out, "false: the two sides differ on a random tree of %d bodies", c->bodies);
        soa_report_line(n, out, "They differ in exact arithmetic, on the rational system of seed %llu.", c->seed);
        return;
    }
    soa_report_line(n, out,
        "false: on a random tree of %d bodies entry (%d, %d) is %.6g on the left and %.6g on the right", c->bodies,
        c->row + 1, c->col + 1, c->left, c->right);
    soa_report_line(n, out, "counterexample: %s at the random configuration of seed %llu", c->system, c->seed);
    soa_page_put(out, n == SOA_LATEX ? "% replay: " : "replay: ");
    soa_replay_put(pool, s->term, s->right, c, out);
    soa_page_put(out, "\n");
}

static void put_open(bool assumed, const soa_proof *proof, soa_notation n, soa_page *out)
{
    if (proof->systems == 0 && proof->singular > 0) {
        soa_report_line(n, out, "not proved; %s on none of %d random systems",
            assumed ? "an inverse exists and the assumptions hold" : "an inverse in it exists", proof->singular);
    } else if (proof->systems == 0) {
        soa_report_line(n, out, "not proved; it could not be evaluated on any of the random systems tried");
    } else {
        soa_report_line(n, out, "not proved; holds %s on %d random systems", proof->exact ? "exactly" : "in doubles",
            proof->systems);
    }
    if (proof->singular > 0 && proof->systems > 0) {
        soa_report_line(n, out, "%d more systems were left out: an inverse does not exist there%s", proof->singular,
            assumed ? ", or an assumption does not hold" : "");
    }
    if (proof->budget_spent) {
        soa_report_line(n, out, "The search for a proof gave up: it was too long, or took too much time.");
    }
}

soa_status soa_program_prove(
    soa_program *program, int statement, soa_notation notation, soa_verdict *verdict, char **text, soa_error *error)
{
    if (!program || !verdict || !text) {
        return soa_fail_null(error, "the program, the verdict or the text");
    }
    const soa_statement *s;
    soa_proof proof;
    soa_terms *pool = soa_program_terms(program);
    *text = NULL;
    *verdict = SOA_OPEN;
    soa_status status = soa_program_find(program, statement, &s, error);
    if (status == SOA_OK && !s->right) {
        status = soa_fail(error, SOA_E_ARGUMENT, -1, "this is no equation; write A = B");
    }
    soa_program_begin(program);
    status = status == SOA_OK ? soa_prove(pool, s->term, s->right, &proof, error) : status;
    if (status != SOA_OK) {
        soa_program_end(program);
        return status;
    }
    soa_page out = soa_page_on(soa_terms_allocator(pool));
    *verdict = proof.verdict;
    switch (proof.verdict) {
    case SOA_PROVED:
        put_proved(pool, s->term, &proof, notation, &out);
        break;
    case SOA_REFUTED:
        put_refuted(pool, s, &proof.counterexample, notation, &out);
        break;
    case SOA_OPEN:
        put_open(program->assumptions.count > 0, &proof, notation, &out);
        break;
    }
    soa_proof_free(&proof);
    soa_program_end(program);
    status = soa_program_give(program, SOA_OK, &out, text, error);
    *verdict = status == SOA_OK ? *verdict : SOA_OPEN;
    return status;
}
