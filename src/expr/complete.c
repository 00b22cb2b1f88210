/* expr/complete.c - relations as rules, and what follows from them: completion. */
#include <string.h>

#include "expr/theory.h"

static soa_rule *rule_at(soa_theory *theory, int rule)
{
    return soa_array_at(&theory->rules, rule);
}

/* ---- rules -------------------------------------------------------------------------------- */

static bool contains(const soa_word *word, const soa_word *part)
{
    const int last = word->length - part->length;
    int at = 0;
    while (at <= last && !soa_word_fits(part, word, at)) {
        at++;
    }
    return at <= last;
}

int soa_theory_push_rule(soa_theory *theory, soa_poly zero, soa_rule about)
{
    soa_algebra *algebra = &theory->algebra;
    if (zero.count > 0 && zero.at[0].word->length == 0) {
        soa_algebra_fail(algebra, SOA_E_ARGUMENT); /* I = 0: the relations contradict each other */
    }
    if (!soa_algebra_ok(algebra) || zero.count == 0) {
        return -1;
    }
    const soa_ratio lead = soa_ratio_negative(zero.at[0].factor);
    about.left = zero.at[0].word;
    about.right = (soa_poly){ 0 };
    for (int i = 1; i < zero.count; i++) {
        soa_poly_add(algebra, &about.right, soa_ratio_divide(zero.at[i].factor, lead), zero.at[i].word);
    }
    if (!soa_theory_add(theory, &theory->rules, &about)) {
        return -1;
    }
    soa_letter_info *letter = soa_array_at(&algebra->letters, about.left->at[0]);
    *(letter->first ? &rule_at(theory, letter->last - 1)->next : &letter->first) = theory->rules.count;
    letter->last = theory->rules.count;
    return theory->rules.count - 1;
}

soa_trace soa_theory_keep(soa_theory *theory, const soa_array *uses, soa_ratio factor)
{
    soa_use *at = soa_algebra_take(&theory->algebra, (size_t)uses->count + 1, sizeof *at);
    for (int i = 0; at && i < uses->count; i++) {
        at[i] = *(const soa_use *)soa_array_at(uses, i);
        at[i].factor = soa_ratio_multiply(at[i].factor, factor);
    }
    return (soa_trace){ at ? uses->count : 0, at };
}

/* ---- names ---------------------------------------------------------------------------------- */

const char *soa_theory_name(soa_theory *theory, soa_poly zero)
{
    const soa_poly adjoint = soa_poly_adjoint(&theory->algebra, zero);
    soa_ratio ratio;
    for (int i = 0; i < theory->names.count; i++) {
        const soa_named *named = soa_array_at(&theory->names, i);
        if (soa_poly_proportional(zero, named->zero, &ratio) || soa_poly_proportional(adjoint, named->zero, &ratio)) {
            return named->label;
        }
    }
    return NULL;
}

/* Whether the list "V, P" has this label. */
static bool has_label(const char *list, const char *label, size_t length)
{
    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] ? 2 : 0)) {
        if (strcspn(at, ",") == length && strncmp(at, label, length) == 0) {
            return true;
        }
    }
    return false;
}

void soa_labels_add(char *list, size_t size, const char *labels)
{
    for (const char *at = labels; *at;) {
        const size_t length = strcspn(at, ","), used = strlen(list), to = used ? used + 2 : 0;
        if (!has_label(list, at, length) && used + length + 3 < size) {
            memcpy(list + used, ", ", to - used);
            memcpy(list + to, at, length);
            list[to + length] = '\0';
        }
        at += length + (at[length] ? 2 : 0);
    }
}

/* The names of the rules it comes from. */
static const char *names_of(soa_theory *theory, soa_trace because)
{
    char list[64] = "";
    for (int i = 0; i < because.count; i++) {
        soa_labels_add(list, sizeof list, soa_theory_rule(theory, because.at[i].rule)->label);
    }
    const char *kept = soa_algebra_text(&theory->algebra, list);
    return kept ? kept : "";
}

/* ---- adding a rule ---------------------------------------------------------------------------- */

/* Rules that the new one can rewrite are taken back and derived anew. */
static void supersede(soa_theory *theory, int by)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_word *left = rule_at(theory, by)->left;
    for (int i = 0; i < theory->rules.count && soa_theory_ok(theory); i++) {
        soa_rule *old = rule_at(theory, i);
        if (i == by || !old->active || !contains(old->left, left)) {
            continue;
        }
        old->active = false;
        soa_poly zero = soa_poly_scaled(algebra, soa_ratio_of(-1), old->right);
        soa_poly_add(algebra, &zero, soa_ratio_of(1), old->left);
        soa_use use = { soa_ratio_of(1), algebra->one, algebra->one, i };
        (void)soa_theory_derive(theory, zero, (soa_trace){ 1, &use }, old->label);
    }
}

static int activate(soa_theory *theory, int rule)
{
    if (rule >= 0) {
        rule_at(theory, rule)->active = true;
        supersede(theory, rule);
    }
    return rule;
}

/* The most rules: a rule that supersedes others derives them anew, each of which may supersede others again. The most words of
 * one: what has more makes sums grow that are to become shorter. */
enum { RULES_MOST = 2000, WORDS_MOST = 60 };

int soa_theory_derive(soa_theory *theory, soa_poly zero, soa_trace because, const char *label)
{
    soa_algebra *algebra = &theory->algebra;
    if (theory->rules.count > RULES_MOST) {
        soa_algebra_fail(algebra, SOA_E_LIMIT);
    }
    soa_array uses = { 0 };
    const soa_poly rest = soa_theory_reduce(theory, zero, &uses);
    int made = -1;
    if (soa_theory_ok(theory) && rest.count > 0 && rest.count <= WORDS_MOST) {
        for (int i = 0; i < uses.count; i++) { /* rest = zero - uses */
            soa_use *use = soa_array_at(&uses, i);
            use->factor = soa_ratio_negative(use->factor);
        }
        for (int i = 0; i < because.count; i++) {
            (void)soa_theory_add(theory, &uses, &because.at[i]);
        }
        const soa_trace trace = soa_theory_keep(theory, &uses, soa_ratio_divide(soa_ratio_of(1), rest.at[0].factor));
        const char *name = soa_theory_name(theory, rest);
        name = name ? name : label ? label : names_of(theory, trace);
        made = activate(theory, soa_theory_push_rule(theory, rest, (soa_rule){ .label = name, .because = trace }));
    }
    return made;
}

static int relate_one(soa_theory *theory, soa_poly zero, const char *label)
{
    soa_algebra *algebra = &theory->algebra;
    const int basic = soa_theory_push_rule(theory, zero, (soa_rule){ .label = label, .basic = true });
    if (basic < 0) {
        return -1;
    }
    int rule;
    for (int i = 0; i < zero.count; i++) {
        if (soa_theory_match(theory, zero.at[i].word, &rule) >= 0) {
            soa_use use = { zero.at[0].factor, algebra->one, algebra->one, basic };
            return soa_theory_derive(theory, zero, (soa_trace){ 1, &use }, label);
        }
    }
    return activate(theory, basic);
}

int soa_theory_relate(soa_theory *theory, soa_poly zero, const char *label)
{
    const int made = relate_one(theory, zero, label);
    const soa_poly adjoint = soa_poly_adjoint(&theory->algebra, zero);
    soa_ratio ratio;
    if (soa_theory_ok(theory) && !soa_poly_proportional(adjoint, zero, &ratio)) {
        (void)relate_one(theory, adjoint, label);
    }
    return made;
}

void soa_theory_equate(soa_theory *theory, soa_poly a, soa_poly b, const char *label)
{
    const soa_poly zero = soa_poly_minus(&theory->algebra, a, b);
    if (soa_theory_ok(theory)) {
        (void)soa_theory_relate(theory, zero, label);
    }
}

/* ---- overlaps ------------------------------------------------------------------------------------ */

/* The end of left a is the beginning of left b: u v and v z. u v z rewritten in both ways:
 * right_a z - u right_b = u (left_b - right_b) - (left_a - right_a) z. */
static void overlap(soa_theory *theory, int a, int b, int shared)
{
    soa_algebra *algebra = &theory->algebra;
    const soa_rule first = *rule_at(theory, a), second = *rule_at(theory, b);
    const soa_word *u = soa_word_part(algebra, first.left, 0, first.left->length - shared);
    const soa_word *z = soa_word_part(algebra, second.left, shared, second.left->length - shared);
    soa_poly zero = { 0 };
    soa_poly_add_times(algebra, &zero, soa_ratio_of(1), NULL, first.right, z);
    soa_poly_add_times(algebra, &zero, soa_ratio_of(-1), u, second.right, NULL);
    soa_use use[] = { { soa_ratio_of(1), u, algebra->one, b }, { soa_ratio_of(-1), algebra->one, z, a } };
    if (soa_theory_ok(theory)) {
        (void)soa_theory_derive(theory, zero, (soa_trace){ 2, use }, NULL);
    }
}

static void overlaps(soa_theory *theory, int a, int b)
{
    const soa_word *left = rule_at(theory, a)->left, *right = rule_at(theory, b)->left;
    const int most = left->length < right->length ? left->length : right->length;
    for (int shared = 1; shared < most + (left == right ? 0 : 1); shared++) {
        const bool both = rule_at(theory, a)->active && rule_at(theory, b)->active;
        const size_t size = (size_t)shared * sizeof *left->at;
        if (both && soa_theory_ok(theory) && left->length + right->length - shared <= theory->budget.overlap &&
            memcmp(left->at + left->length - shared, right->at, size) == 0) {
            overlap(theory, a, b, shared);
        }
    }
}

bool soa_theory_complete(soa_theory *theory)
{
    const int most = theory->rules.count + theory->budget.rules;
    while (soa_theory_ok(theory) && theory->completed < theory->rules.count) {
        if (theory->rules.count > most || theory->reductions > theory->budget.reductions / 2) {
            return false;
        }
        const int i = theory->completed++;
        for (int j = 0; j <= i && soa_theory_ok(theory) && rule_at(theory, i)->active; j++) {
            if (rule_at(theory, j)->active) {
                overlaps(theory, i, j);
                if (j != i) {
                    overlaps(theory, j, i);
                }
            }
        }
    }
    return soa_theory_ok(theory);
}
