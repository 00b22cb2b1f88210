/* expr/stages.c - rewriting in steps that can be read. */
#include "expr/simplify.h"

#include <string.h>

#include "expr/theory.h"

/* More steps than this are taken as one; of how many uses of rules in one step exact names are sought; longer sums are not
 * shown; and how long a list of labels may be. */
enum { STAGES_MOST = 40, NAMED_MOST = 200, SHOWN_MOST = 40, LABELS_MOST = 64 };

/* Which rules a step may use. */
typedef struct chosen {
    const char *label; /* rules of this name; NULL: the definition of the letter */
    bool any;          /* all but definitions */
    soa_letter letter, adjoint;
} chosen;

/* Letters whose definitions are left alone. */
typedef struct kept {
    const bool *keep;
    int count;
} kept;

/* A definition as it is written, before others are put into it: the basic rule of its letter. */
static bool is_definition(const soa_rule *rule)
{
    return rule->left->length == 1;
}

static bool may_use(const chosen *c, const soa_rule *rule)
{
    if (c->any || c->label) {
        return rule->active && !is_definition(rule) && (c->any || strcmp(rule->label, c->label) == 0);
    }
    return is_definition(rule) && (rule->left->at[0] == c->letter || rule->left->at[0] == c->adjoint);
}

static const soa_rule *rule_in(const soa_theory *theory, const chosen *c, const soa_word *word, int *at)
{
    for (*at = 0; *at < word->length; ++*at) {
        for (int i = 0; i < theory->rules.count; i++) { /* the first: of a letter, what it was defined by */
            const soa_rule *rule = soa_theory_rule(theory, i);
            if (may_use(c, rule) && soa_word_fits(rule->left, word, *at)) {
                return rule;
            }
        }
    }
    return NULL;
}

/* What the rule says where it stands between other letters may have a name of its own: psi K H phi = phi - psi
 * is [I7], behind H it is [I8]. The longest that has one; else the rule's. */
static const char *exact_label(soa_theory *theory, const soa_rule *rule, const soa_word *word, int at)
{
    soa_algebra *algebra = &theory->algebra;
    const int end = at + rule->left->length;
    const int most_before = at < 1 ? at : 1, most_after = word->length - end < 1 ? word->length - end : 1;
    for (int more = most_before + most_after; more > 0 && soa_algebra_ok(algebra); more--) {
        for (int before = more < most_before ? more : most_before; before >= 0 && more - before <= most_after;
             before--) {
            soa_poly zero = { 0 };
            const soa_word *left = soa_word_part(algebra, word, at - before, before);
            const soa_word *right = soa_word_part(algebra, word, end, more - before);
            soa_poly_add(algebra, &zero, soa_ratio_of(1), soa_word_join(algebra, left, rule->left, right));
            soa_poly_add_times(algebra, &zero, soa_ratio_of(-1), left, rule->right, right);
            const char *name = soa_algebra_ok(algebra) ? soa_theory_name(theory, zero) : NULL;
            if (name) {
                return name;
            }
        }
    }
    return rule->label;
}

/* A pass over a polynomial: with which rules, and the labels of what they say. */
typedef struct pass {
    chosen by;
    char labels[LABELS_MOST];
    int uses;
} pass;

static int match_chosen(soa_theory *theory, void *context, const soa_word *word, int *number)
{
    pass *s = context;
    int at;
    const soa_rule *rule = rule_in(theory, &s->by, word, &at);
    if (!rule) {
        return -1;
    }
    const bool own = is_definition(rule) || ++s->uses > NAMED_MOST;
    *number = (int)(rule - soa_theory_rule(theory, 0));
    soa_labels_add(s->labels, sizeof s->labels, own ? rule->label : exact_label(theory, rule, word, at));
    return at;
}

/* The definition of greatest weight in the polynomial; false: there is none. */
static bool choose_definition(soa_theory *theory, soa_poly a, kept k, chosen *c)
{
    int weight = -1;
    for (int i = 0; i < a.count; i++) {
        const soa_word *word = a.at[i].word;
        for (int j = 0; j < word->length; j++) {
            const soa_letter_info *about = soa_algebra_about(&theory->algebra, word->at[j]);
            const chosen candidate = { .letter = word->at[j], .adjoint = about->adjoint };
            const soa_word single = { .length = 1, .at = &word->at[j] };
            int at;
            if (about->weight > weight && !(word->at[j] < k.count && k.keep[word->at[j]])) {
                const soa_rule *rule = rule_in(theory, &candidate, &single, &at);
                weight = rule ? about->weight : weight;
                *c = rule ? candidate : *c;
            }
        }
    }
    return weight >= 0;
}

/* Definitions first, else the rules that the greatest word needs. */
static bool choose(soa_theory *theory, soa_poly a, kept k, chosen *c)
{
    if (choose_definition(theory, a, k, c)) {
        return true;
    }
    const chosen any = { .any = true };
    for (int i = 0; i < a.count; i++) {
        int at;
        const soa_rule *rule = rule_in(theory, &any, a.at[i].word, &at);
        if (rule) {
            *c = (chosen){ .label = rule->label };
            return true;
        }
    }
    return false;
}

void soa_theory_stages(soa_theory *theory, soa_poly a, const bool *keep, int keep_count, soa_array *stages)
{
    const kept k = { keep, keep ? keep_count : 0 };
    pass s = { .uses = 0 };
    while (soa_theory_ok(theory) && choose(theory, a, k, &s.by)) {
        s.labels[0] = '\0';
        s.uses = 0;
        if (stages->count >= STAGES_MOST) {
            a = soa_theory_reduce(theory, a, NULL);
            soa_labels_add(s.labels, sizeof s.labels, "normal form");
        } else {
            a = soa_theory_rewrite(theory, a, match_chosen, &s, NULL);
        }
        (void)soa_theory_add(theory, stages, &(soa_stage){ soa_algebra_text(&theory->algebra, s.labels), a });
    }
}

const soa_proof_step *soa_theory_steps(
    soa_theory *theory, soa_chain chain, const soa_term *first, const soa_term *last, int *steps)
{
    soa_arena *arena = &theory->algebra.terms->arena;
    soa_proof_step *step = soa_arena_take(arena, (size_t)chain.count + 1, sizeof *step);
    char labels[LABELS_MOST] = "";
    const soa_term *before = first;
    *steps = 0;
    for (int i = 0; step && i < chain.count; i++) {
        const bool end = i + 1 == chain.count;
        soa_labels_add(labels, sizeof labels, chain.at[i].label);
        if (chain.at[i].poly.count > SHOWN_MOST && !end) {
            continue;
        }
        const soa_term *term = end ? last : soa_theory_factor(theory, chain.at[i].poly, first->type, SOA_FACTOR_BOTH);
        if (term == before && !end) {
            continue;
        }
        const char *label = soa_arena_text(arena, labels);
        if (!term || !label) {
            *steps = 0;
            return label ? NULL : soa_algebra_fail(&theory->algebra, SOA_E_MEMORY);
        }
        step[(*steps)++] = (soa_proof_step){ label, term };
        labels[0] = '\0';
        before = term;
    }
    if (step && chain.count == 0 && first != last) {
        step[(*steps)++] = (soa_proof_step){ "", last };
    }
    return step ? step : soa_algebra_fail(&theory->algebra, SOA_E_MEMORY);
}
