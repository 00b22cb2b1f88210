/* expr/report.c - what is proved, simplified and derived, as text: proofs and counterexamples, the cheapest equal
 * expression, all forms in O(N). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "expr/program.h"
#include "expr/simplify.h"

static bool is_latex(const soa_telling *r)
{
    return r->notation == SOA_LATEX;
}

/* Words: in LaTeX a comment. */
static void put_line(soa_telling *r, const char *format, ...) SOA_PRINTF(2, 3);

static void put_line(soa_telling *r, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    soa_page_format(&r->out, "%s%s\n", is_latex(r) ? "% " : "", line);
}

/* The given term, and below it each step with its labels; in LaTeX an align* (amsmath). */
static void put_steps(soa_telling *r, int steps, const soa_proof_step *step)
{
    const bool latex = is_latex(r);
    soa_page_put(&r->out, latex ? "\\begin{align*}\n  & " : "    ");
    soa_print_term(r->pool, r->s->term, r->notation, &r->out);
    for (int i = 0; i < steps; i++) {
        const char *label = step[i].label;
        soa_page_put(&r->out, latex ? " \\\\\n  &= " : "\n  = ");
        soa_print_term(r->pool, step[i].term, r->notation, &r->out);
        soa_page_format(&r->out, latex ? " && \\text{%s%s%s}" : "    %s%s%s", label[0] ? "by [" : "rearranged", label,
            label[0] ? "]" : "");
    }
    soa_page_put(&r->out, latex ? "\n\\end{align*}\n" : "\n");
}

/* ---- proofs --------------------------------------------------------------------------------------- */

/* The hypotheses that the proof uses; all of them if its certificate is too long to tell. */
static void put_assumptions(soa_telling *r, const soa_proof *proof)
{
    for (int i = 0; i < soa_terms_assumptions(r->pool); i++) {
        const soa_assumption *assumed = soa_terms_assumption(r->pool, i);
        if (!proof->checked || !assumed->left || (i < 64 && proof->assumed >> i & 1)) {
            soa_page_format(&r->out, "%sIt uses %s: ", is_latex(r) ? "% " : "", assumed->label);
            soa_page_put(&r->out, assumed->text);
            soa_page_put(&r->out, "\n");
        }
    }
    if (soa_terms_assumptions(r->pool) > 0 && proof->systems == 0) {
        put_line(r, "It was not evaluated: no random system was found on which the assumptions hold.");
    }
}

static void put_proved(soa_telling *r, const soa_proof *proof)
{
    put_line(r, "proved in %d steps", proof->steps);
    put_steps(r, proof->steps, proof->step);
    if (proof->checked) {
        put_line(r, "certificate: a sum of %d defining relations, multiplied out and checked", proof->relations);
    } else {
        put_line(r, "The certificate was too long to be multiplied out.");
    }
    if (proof->exact && proof->systems > 0) {
        put_line(r, "It was evaluated exactly on %d random systems.", proof->systems);
    }
    put_assumptions(r, proof);
    put_line(r, "It holds %s (Arm, Gamma)%s.", proof->with_rotors ? "with rotors" : "for systems without rotors",
        proof->with_rotors ? " too" : "");
    if (proof->inverses) {
        put_line(r, "It takes for granted that the inverses in it exist.");
    }
}

static void put_refuted(soa_telling *r, const soa_counterexample *c)
{
    if (!c->system[0]) {
        put_line(r, "false: the two sides differ on a random tree of %d bodies", c->bodies);
        put_line(r, "They differ in exact arithmetic, on the rational system of seed %llu%s.", c->seed,
            r->s->term->derived || r->s->right->derived ? "; q_1 and the like stand for any coordinate" : "");
        return;
    }
    put_line(r, "false: on a random tree of %d bodies entry (%d, %d) is %.6g on the left and %.6g on the right",
        c->bodies, c->row + 1, c->col + 1, c->left, c->right);
    put_line(r, "counterexample: %s at the random configuration of seed %llu", c->system, c->seed);
    soa_page_put(&r->out, is_latex(r) ? "% replay: " : "replay: ");
    soa_replay_put(r->pool, r->s->term, r->s->right, c, &r->out);
    soa_page_put(&r->out, "\n");
}

static void put_open(soa_telling *r, const soa_proof *proof)
{
    const bool assumed = soa_terms_assumptions(r->pool) > 0;
    if (proof->systems == 0 && proof->singular > 0) {
        put_line(r, "not proved; %s on none of %d random systems",
            assumed ? "an inverse exists and the assumptions hold" : "an inverse in it exists", proof->singular);
    } else if (proof->systems == 0) {
        put_line(r, "not proved; it could not be evaluated on any of the random systems tried");
    } else {
        put_line(
            r, "not proved; holds %s on %d random systems", proof->exact ? "exactly" : "in doubles", proof->systems);
    }
    if (proof->singular > 0 && proof->systems > 0) {
        put_line(r, "%d more systems were left out: an inverse does not exist there%s", proof->singular,
            assumed ? ", or an assumption does not hold" : "");
    }
    if (proof->budget_spent) {
        put_line(r, "The search for a proof gave up: it was too long, or took too much time.");
    }
}

static bool is_variable(const soa_terms *pool, const soa_term *term, const void *variable)
{
    return (void)pool, term == (const soa_term *)variable;
}

/* Numbers that the statement does not look at, which is about all values of a variable. */
static void put_unused(soa_telling *r)
{
    for (int i = 0; i < r->program->statements.count; i++) {
        const soa_statement *given = soa_program_at(r->program, i);
        if (given->values > 0 && !soa_statement_is_number(given) &&
            (soa_term_any(r->pool, r->s->term, is_variable, given->term) ||
                soa_term_any(r->pool, r->s->right, is_variable, given->term))) {
            put_line(r, "The numbers of %s are not used: the statement is about all its values.", given->name);
        }
    }
}

soa_status soa_program_prove(
    soa_program *program, int statement, soa_notation notation, soa_verdict *verdict, char **text, soa_error *error)
{
    soa_proof proof;
    if (!verdict) {
        return soa_fail_null(error, "the verdict");
    }
    *verdict = SOA_OPEN;
    soa_telling r = soa_telling_begin(program, statement, SOA_AN_EQUATION, notation, text, error);
    r.status = r.status == SOA_OK ? soa_prove(r.pool, r.s->term, r.s->right, &proof, error) : r.status;
    if (r.status == SOA_OK) {
        *verdict = proof.verdict;
        if (proof.verdict == SOA_PROVED) {
            put_proved(&r, &proof);
        } else if (proof.verdict == SOA_REFUTED) {
            put_refuted(&r, &proof.counterexample);
        } else {
            put_open(&r, &proof);
        }
        put_unused(&r);
    }
    *verdict = soa_telling_end(&r) == SOA_OK ? *verdict : SOA_OPEN;
    return r.status;
}

/* ---- the cheapest ----------------------------------------------------------------------------------- */

/* "cost    before  O(N), 2 sweeps (4 as written), 300 flops per body" */
static void put_cost(soa_telling *r, const char *what, const soa_cost *cost)
{
    char order[16] = "O(N)", written[32] = "";
    if (cost->order > 1) {
        (void)snprintf(order, sizeof order, "O(N^%d)", cost->order);
    }
    if (cost->sweeps_written > cost->sweeps) {
        (void)snprintf(written, sizeof written, " (%d as written)", cost->sweeps_written);
    }
    put_line(r, "%s  %s, %d sweep%s%s, %.0f flops per body", what, order, cost->sweeps, cost->sweeps == 1 ? "" : "s",
        written, cost->flops);
}

static void put_simplified(soa_telling *r, const soa_simplified *s)
{
    put_cost(r, "cost    before", &s->before);
    put_cost(r, "        after ", &s->after);
    if (s->steps == 0) {
        put_line(r, "Nothing cheaper was found.");
    } else {
        put_line(r, "steps   %d", s->steps);
        put_steps(r, s->steps, s->step);
        if (!s->with_rotors) {
            put_line(r, "They are equal for systems without rotors (Arm, Gamma).");
        }
    }
    if (s->inverses) {
        put_line(r, "It takes for granted that the inverses in it exist.");
    }
    if (s->budget_spent) {
        put_line(r, "The search ended with its budget.");
    }
}

soa_status soa_program_simplify(
    soa_program *program, int statement, soa_notation notation, char **cheapest, char **text, soa_error *error)
{
    soa_simplified simpler;
    char *made = NULL;
    if (!cheapest) {
        return soa_fail_null(error, "the cheapest");
    }
    *cheapest = NULL;
    soa_telling r = soa_telling_begin(program, statement, SOA_AN_EXPRESSION, notation, text, error);
    r.status = r.status == SOA_OK ? soa_simplify(r.pool, r.s->term, false, &simpler, error) : r.status;
    if (r.status == SOA_OK) {
        soa_page first = soa_page_on(&r.pool->allocator);
        soa_print_term(r.pool, simpler.term, notation, &first);
        put_simplified(&r, &simpler);
        r.status = soa_page_give(&first, &made, error);
    }
    if (soa_telling_end(&r) == SOA_OK) {
        *cheapest = made;
    } else if (made) {
        soa_program_text_free(program, made);
    }
    return r.status;
}

/* ---- all forms ---------------------------------------------------------------------------------------- */

/* Longer forms are not shown. */
enum { SHOWN_SIZE = 120 };

static int by_cost(const void *a, const void *b)
{
    const soa_form *x = a, *y = b;
    const int order = soa_cost_compare(&x->cost, &y->cost);
    return order                            ? order
           : x->term->size != y->term->size ? x->term->size - y->term->size
                                            : x->term->number - y->term->number;
}

/* Leaves those that equal the given term by normal forms: no rewriting is trusted. */
static soa_status keep_equal(
    soa_terms *pool, const soa_term *term, soa_theory_kind kind, soa_array *f, soa_error *error)
{
    soa_status status = SOA_OK;
    int kept = 0;
    for (int i = 0; i < f->count && status == SOA_OK; i++) {
        const soa_form *form = soa_array_at(f, i);
        bool equal = form->term == term;
        status = equal ? SOA_OK : soa_ask_equal(pool, kind, term, form->term, &equal, error);
        if (equal) {
            *(soa_form *)soa_array_at(f, kept++) = *form;
        }
    }
    f->count = kept;
    return status;
}

/* Keeps the shortest of the forms that cost the same, step by step: they are one recursion. Returns how many went. */
static int keep_distinct(soa_array *f)
{
    int kept = 0, left_out = 0;
    for (int i = 0; i < f->count; i++) {
        const soa_form *form = soa_array_at(f, i);
        const soa_form *last = kept > 0 ? soa_array_at(f, kept - 1) : NULL;
        const bool same = last && soa_cost_compare(&last->cost, &form->cost) == 0;
        const bool long_ = !same && kept > 0 && form->term->size > SHOWN_SIZE;
        left_out += long_;
        if (!same && !long_) {
            *(soa_form *)soa_array_at(f, kept++) = *form;
        }
    }
    f->count = kept;
    return left_out;
}

/* The forms of a term, and of what the inversion lemma makes of it. */
static soa_status find_forms(
    soa_terms *pool, const soa_term *term, soa_theory_kind kind, soa_array *f, soa_error *error)
{
    const soa_term *lemma = soa_inversion_lemma(pool, term), *start[] = { term, lemma };
    soa_status status = lemma ? SOA_OK : soa_fail_memory(error);
    for (int i = 0; i < (lemma == term ? 1 : 2) && status == SOA_OK; i++) {
        soa_simplified found;
        const int before = f->count;
        status = soa_rewrite(pool, start[i], kind, f, &found, error);
        if (status == SOA_OK && found.before.order == 1 && f->count == before) {
            const soa_form given = { start[i], found.before, "" };
            status = soa_arena_add(&pool->arena, f, &given, sizeof given) ? SOA_OK : soa_fail_memory(error);
        }
    }
    status = status == SOA_OK ? keep_equal(pool, term, kind, f, error) : status;
    if (f->count > 1) {
        qsort(f->items, (size_t)f->count, sizeof(soa_form), by_cost);
    }
    return status;
}

static void put_table(soa_telling *r, soa_array *f, bool rotors)
{
    const bool latex = is_latex(r);
    if (f->count == 0) {
        put_line(r, "No form in O(N) was found.");
        return;
    }
    const int left_out = keep_distinct(f);
    soa_page_put(&r->out, latex ? "\\begin{tabular}{rrrll}\n  & sweeps & flops per body & form & by \\\\ \\hline\n"
                                : "   sweeps  flops  form\n");
    for (int i = 0; i < f->count; i++) {
        const soa_form *form = soa_array_at(f, i);
        soa_page_format(
            &r->out, latex ? "  %d & %d & %.0f & $" : "%2d %6d %6.0f  ", i + 1, form->cost.sweeps, form->cost.flops);
        soa_print_term(r->pool, form->term, r->notation, &r->out);
        soa_page_format(&r->out, latex ? "$ & %s \\\\\n" : form->labels[0] ? "    by [%s]\n" : "%s\n", form->labels);
    }
    soa_page_put(&r->out, latex ? "\\end{tabular}\n" : "");
    if (left_out > 0) {
        put_line(r, "%d longer form%s not shown.", left_out, left_out == 1 ? " is" : "s are");
    }
    put_line(r, "All are equal for systems %s",
        rotors ? "with rotors (Arm, Gamma)." : "without rotors (Arm, Gamma); for others write Arm and Gamma.");
}

soa_status soa_program_derive(soa_program *program, int statement, soa_notation notation, char **text, soa_error *error)
{
    soa_telling r = soa_telling_begin(program, statement, SOA_AN_EXPRESSION, notation, text, error);
    if (r.status == SOA_OK) {
        soa_array forms = { 0 };
        const bool rotors = soa_term_has_rotors(r.pool, r.s->term);
        const soa_theory_kind kind = rotors ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN;
        r.status = find_forms(r.pool, r.s->term, kind, &forms, error);
        if (r.status == SOA_OK) {
            put_table(&r, &forms, rotors);
        }
    }
    return soa_telling_end(&r);
}
