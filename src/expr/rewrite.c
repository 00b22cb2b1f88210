/* expr/rewrite.c - rewriting with the rules of a theory, and certificates. */
#include "expr/theory.h"

const soa_rule *soa_theory_rule(const soa_theory *theory, int rule)
{
    return soa_array_at(&theory->rules, rule);
}

int soa_theory_match(const soa_theory *theory, const soa_word *word, int *rule)
{
    for (int at = 0; at < word->length; at++) {
        const soa_rule *r;
        for (int i = soa_algebra_about(&theory->algebra, word->at[at])->first; i > 0; i = r->next) {
            r = soa_theory_rule(theory, i - 1);
            if (r->active && soa_word_fits(r->left, word, at)) {
                *rule = i - 1;
                return at;
            }
        }
    }
    return -1;
}

soa_poly soa_theory_rewrite(soa_theory *theory, soa_poly a, soa_matcher *match, void *context, soa_array *uses)
{
    soa_algebra *algebra = &theory->algebra;
    soa_poly work = soa_poly_scaled(algebra, soa_ratio_of(1), a), done = { 0 };
    while (soa_algebra_ok(algebra) && work.count > 0) {
        const soa_monomial top = *work.at++;
        work.count--;
        work.capacity--;
        int rule;
        const int at = match(theory, context, top.word, &rule);
        if (at < 0) {
            soa_poly_add(algebra, &done, top.factor, top.word);
            continue;
        }
        if (theory->reductions++ >= theory->budget.reductions) {
            soa_algebra_fail(algebra, SOA_E_LIMIT);
            break;
        }
        const soa_rule *r = soa_theory_rule(theory, rule);
        const int end = at + r->left->length;
        const soa_word *before = soa_word_part(algebra, top.word, 0, at);
        const soa_word *after = soa_word_part(algebra, top.word, end, top.word->length - end);
        if (uses) {
            (void)soa_theory_add(theory, uses, &(soa_use){ top.factor, before, after, rule });
        }
        soa_poly_add_times(algebra, &work, top.factor, before, r->right, after);
    }
    return done;
}

/* The first active rule; if there is none, one that is made for a block in the word. */
static int match_any(soa_theory *theory, void *context, const soa_word *word, int *rule)
{
    (void)context;
    const int at = soa_theory_match(theory, word, rule);
    return at < 0 && soa_theory_block(theory, word) ? soa_theory_match(theory, word, rule) : at;
}

soa_poly soa_theory_reduce(soa_theory *theory, soa_poly a, soa_array *uses)
{
    return soa_theory_rewrite(theory, a, match_any, NULL, uses);
}

/* ---- certificates -------------------------------------------------------------------------- */

/* The largest rule number that a list of uses still has to be expanded; -1: all are basic. */
static int last_derived(const soa_theory *theory, const soa_array *uses)
{
    int last = -1;
    for (int i = 0; i < uses->count; i++) {
        const soa_use *use = soa_array_at(uses, i);
        if (!soa_ratio_is_zero(use->factor) && !soa_theory_rule(theory, use->rule)->basic && use->rule > last) {
            last = use->rule;
        }
    }
    return last;
}

/* Adds the use, to one like it if there is one. */
static void add_use(soa_theory *theory, soa_array *uses, soa_use use)
{
    for (int i = 0; i < uses->count; i++) {
        soa_use *there = soa_array_at(uses, i);
        if (there->rule == use.rule && there->before == use.before && there->after == use.after) {
            there->factor = soa_ratio_add(there->factor, use.factor);
            return;
        }
    }
    (void)soa_theory_add(theory, uses, &use);
}

/* Puts what a derived rule is made of in the place of its uses. */
static void expand_rule(soa_theory *theory, soa_array *uses, int rule)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_trace because = soa_theory_rule(theory, rule)->because;
    const int count = uses->count;
    for (int i = 0; i < count && soa_theory_ok(theory); i++) {
        soa_use *use = soa_array_at(uses, i);
        if (use->rule != rule || soa_ratio_is_zero(use->factor)) {
            continue;
        }
        const soa_use whole = *use;
        use->factor = soa_ratio_of(0);
        for (int j = 0; j < because.count; j++) {
            const soa_use part = because.at[j];
            const soa_word *before = soa_word_join(algebra, whole.before, part.before, NULL);
            const soa_word *after = soa_word_join(algebra, part.after, whole.after, NULL);
            add_use(theory, uses, (soa_use){ soa_ratio_multiply(whole.factor, part.factor), before, after, part.rule });
        }
    }
}

void soa_theory_expand(soa_theory *theory, soa_trace trace, soa_array *uses)
{
    *uses = (soa_array){ 0 };
    for (int i = 0; i < trace.count; i++) {
        add_use(theory, uses, trace.at[i]);
    }
    for (int rule; soa_theory_ok(theory) && (rule = last_derived(theory, uses)) >= 0;) {
        expand_rule(theory, uses, rule);
    }
}

soa_poly soa_theory_sum(soa_theory *theory, const soa_array *uses, int *relations)
{
    soa_algebra *algebra = &theory->algebra;
    soa_poly sum = { 0 };
    *relations = 0;
    for (int i = 0; i < uses->count && soa_theory_ok(theory); i++) {
        const soa_use *use = soa_array_at(uses, i);
        const soa_rule *rule = soa_theory_rule(theory, use->rule);
        *relations += !soa_ratio_is_zero(use->factor);
        soa_poly_add(algebra, &sum, use->factor, soa_word_join(algebra, use->before, rule->left, use->after));
        soa_poly_add_times(algebra, &sum, soa_ratio_negative(use->factor), use->before, rule->right, use->after);
    }
    return sum;
}
