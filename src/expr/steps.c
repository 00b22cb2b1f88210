/* expr/steps.c - rewriting in steps that can be read. */
#include "expr/steps.h"

#include <string.h>

/* More steps than this are taken as one. */
enum { STAGES_MOST = 40 };

static bool fits_at(const soa_word *left, const soa_word *word, int at)
{
    return left->length <= word->length - at &&
           memcmp(left->at, word->at + at, (size_t)left->length * sizeof *left->at) == 0;
}

/* Which rules a step may use. */
typedef struct chosen {
    const char *label; /* rules of this name; NULL: the one of the letter */
    soa_letter letter, adjoint;
} chosen;

/* A definition as it is written, before others are put into it: the basic rule of its letter. */
static bool is_definition(const soa_rule *rule)
{
    return rule->left->length == 1;
}

static bool may_use(const chosen *c, const soa_rule *rule)
{
    if (c->label) {
        return rule->active && !is_definition(rule) && strcmp(rule->label, c->label) == 0;
    }
    return is_definition(rule) && (rule->left->at[0] == c->letter || rule->left->at[0] == c->adjoint);
}

static const soa_rule *rule_in(const soa_theory *theory, const chosen *c, const soa_word *word, int *at)
{
    for (*at = 0; *at < word->length; ++*at) {
        for (int i = 0; i < theory->rules.count; i++) { /* the first: of a letter, what it was defined by */
            const soa_rule *rule = soa_theory_rule(theory, i);
            if (may_use(c, rule) && fits_at(rule->left, word, *at)) {
                return rule;
            }
        }
    }
    return NULL;
}

/* Rewrites with the chosen rules until none applies. */
static soa_poly rewrite(soa_theory *theory, const chosen *c, soa_poly a)
{
    soa_algebra *algebra = &theory->algebra;
    soa_poly work = soa_poly_copy(algebra, a), done = { 0 };
    while (soa_algebra_ok(algebra) && work.count > 0) {
        const soa_monomial top = *work.at++;
        work.count--;
        work.capacity--;
        int at;
        const soa_rule *rule = rule_in(theory, c, top.word, &at);
        if (!rule) {
            soa_poly_add(algebra, &done, top.factor, top.word);
            continue;
        }
        if (theory->reductions++ >= theory->budget.reductions) {
            algebra->status = SOA_E_LIMIT;
            break;
        }
        const int end = at + rule->left->length;
        const soa_word *before = soa_word_part(algebra, top.word, 0, at);
        const soa_word *after = soa_word_part(algebra, top.word, end, top.word->length - end);
        soa_poly_add_times(algebra, &work, top.factor, before, rule->right, after);
    }
    return done;
}

/* The definition of greatest weight first, else the rules that the greatest word needs. */
static bool choose(soa_theory *theory, soa_poly a, chosen *c, const char **label)
{
    const soa_letter_info *heaviest = NULL;
    for (int i = 0; i < a.count; i++) {
        const soa_word *word = a.at[i].word;
        for (int j = 0; j < word->length; j++) {
            const soa_letter_info *about = soa_algebra_about(&theory->algebra, word->at[j]);
            const chosen candidate = { NULL, word->at[j], about->adjoint };
            int at;
            const soa_word *single = soa_word_of(&theory->algebra, 1, &word->at[j]);
            const soa_rule *rule = single && (!heaviest || about->weight > heaviest->weight)
                                       ? rule_in(theory, &candidate, single, &at)
                                       : NULL;
            if (rule) {
                heaviest = about;
                *c = candidate;
                *label = rule->label;
            }
        }
    }
    for (int i = 0; !heaviest && i < a.count; i++) {
        int rule;
        if (soa_theory_match(theory, a.at[i].word, &rule) >= 0) {
            *label = soa_theory_rule(theory, rule)->label;
            *c = (chosen){ .label = *label };
            return true;
        }
    }
    return heaviest != NULL;
}

static void push_stage(soa_theory *theory, soa_array *stages, const char *label, soa_poly a)
{
    soa_stage *made = soa_array_push(stages, &theory->algebra.allocator);
    if (made) {
        *made = (soa_stage){ label, a };
    } else {
        theory->algebra.status = SOA_E_MEMORY;
    }
}

void soa_theory_stages(soa_theory *theory, soa_poly a, soa_array *stages)
{
    chosen c = { 0 };
    const char *label = "";
    while (soa_theory_ok(theory) && choose(theory, a, &c, &label)) {
        if (stages->count >= STAGES_MOST) {
            a = soa_theory_reduce(theory, a, NULL);
            label = "normal form";
        } else {
            a = rewrite(theory, &c, a);
        }
        push_stage(theory, stages, label, a);
    }
}
