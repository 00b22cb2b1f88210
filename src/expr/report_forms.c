/* expr/report_forms.c - all forms of an expression in O(N), as a table. */
#include <stdlib.h>

#include "core/error.h"
#include "expr/report.h"
#include "expr/simplify.h"

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
    soa_terms *pool, const soa_term *term, soa_theory_kind kind, soa_forms *f, soa_error *error)
{
    soa_status status = SOA_OK;
    int kept = 0;
    for (int i = 0; i < f->list.count && status == SOA_OK; i++) {
        soa_form *form = soa_array_at(&f->list, i);
        bool equal = form->term == term;
        status = equal ? SOA_OK : soa_ask_equal(pool, kind, term, form->term, &equal, error);
        if (equal) {
            *(soa_form *)soa_array_at(&f->list, kept++) = *form;
        }
    }
    f->list.count = kept;
    return status;
}

/* Longer forms are not shown. */
enum { SHOWN_SIZE = 120 };

/* Of forms that cost the same, step by step, the shortest: they are one recursion. Returns how many long ones went. */
static int keep_distinct(soa_forms *f)
{
    int kept = 0, left_out = 0;
    for (int i = 0; i < f->list.count; i++) {
        const soa_form *form = soa_array_at(&f->list, i);
        const soa_form *last = kept > 0 ? soa_array_at(&f->list, kept - 1) : NULL;
        const bool same = last && soa_cost_compare(&last->cost, &form->cost) == 0;
        const bool long_ = !same && kept > 0 && form->term->size > SHOWN_SIZE;
        left_out += long_;
        if (!same && !long_) {
            *(soa_form *)soa_array_at(&f->list, kept++) = *form;
        }
    }
    f->list.count = kept;
    return left_out;
}

/* The forms of a term, and of what the inversion lemma makes of it. */
static soa_status find_forms(
    soa_terms *pool, const soa_term *term, soa_theory_kind kind, soa_forms *f, soa_error *error)
{
    const soa_term *lemma = soa_inversion_lemma(pool, term), *start[] = { term, lemma };
    soa_status status = lemma ? SOA_OK : soa_fail_memory(error);
    for (int i = 0; i < (lemma == term ? 1 : 2) && status == SOA_OK; i++) {
        soa_simplified found;
        const int before = f->list.count;
        status = soa_rewrite(pool, start[i], kind, f, &found, error);
        if (status == SOA_OK && found.before.order == 1 && f->list.count == before) {
            soa_form *given = soa_array_push(&f->list, f->arena.allocator);
            status = given ? SOA_OK : soa_fail_memory(error);
            if (given) {
                *given = (soa_form){ start[i], found.before, "" };
            }
        }
        soa_simplified_free(&found);
    }
    status = status == SOA_OK ? keep_equal(pool, term, kind, f, error) : status;
    if (f->list.count > 1) {
        qsort(f->list.items, (size_t)f->list.count, sizeof(soa_form), by_cost);
    }
    return status;
}

static void put_table(soa_terms *pool, const soa_forms *f, soa_notation n, soa_page *out)
{
    const bool latex = n == SOA_LATEX;
    soa_page_put(out, latex ? "\\begin{tabular}{rrrll}\n  & sweeps & flops per body & form & by \\\\ \\hline\n"
                            : "   sweeps  flops  form\n");
    for (int i = 0; i < f->list.count; i++) {
        const soa_form *form = soa_array_at(&f->list, i);
        soa_page_format(
            out, latex ? "  %d & %d & %.0f & $" : "%2d %6d %6.0f  ", i + 1, form->cost.sweeps, form->cost.flops);
        soa_print_term(pool, form->term, n, out);
        soa_page_format(out, latex ? "$ & %s \\\\\n" : form->labels[0] ? "    by [%s]\n" : "%s\n", form->labels);
    }
    soa_page_put(out, latex ? "\\end{tabular}\n" : "");
}

soa_status soa_program_derive(
    soa_program *program, int statement, soa_notation notation, char **table, soa_error *error)
{
    if (!program || !table) {
        return soa_fail_null(error, "the program or the table");
    }
    const soa_statement *s;
    soa_terms *pool = soa_program_terms(program);
    *table = NULL;
    soa_status status = soa_program_find(program, statement, &s, error);
    if (status == SOA_OK && s->right) {
        status = soa_fail(error, SOA_E_ARGUMENT, -1, "this is an equation; give an expression");
    }
    if (status != SOA_OK) {
        return status;
    }
    soa_forms forms = { .arena = soa_arena_on(soa_terms_allocator(pool)), .list = soa_array_of(sizeof(soa_form)) };
    soa_page out = soa_page_on(soa_terms_allocator(pool));
    const bool rotors = soa_term_has_rotors(s->term);
    soa_program_begin(program);
    status = find_forms(pool, s->term, rotors ? SOA_THEORY_ROTORS : SOA_THEORY_PLAIN, &forms, error);
    if (status == SOA_OK && forms.list.count == 0) {
        soa_report_line(notation, &out, "No form in O(N) was found.");
    } else if (status == SOA_OK) {
        const int left_out = keep_distinct(&forms);
        put_table(pool, &forms, notation, &out);
        if (left_out > 0) {
            soa_report_line(notation, &out, "%d longer form%s not shown.", left_out, left_out == 1 ? " is" : "s are");
        }
        soa_report_line(notation, &out, "%s",
            rotors ? "All are equal for systems with rotors (Arm, Gamma)."
                   : "All are equal for systems without rotors (Arm, Gamma); for others write Arm and Gamma.");
    }
    soa_program_end(program);
    soa_array_free(&forms.list, forms.arena.allocator);
    soa_arena_free(&forms.arena);
    return soa_program_give(program, status, &out, table, error);
}
