/* expr/theory.h - what is equal: relations between operators as rewriting rules.
 *
 * A theory holds rules `left -> right`, left a word, right a lesser polynomial. The
 * defining relations and their adjoints are basic; completion adds what follows
 * from two ways of rewriting one word, until (for the theories used here: after a
 * few steps) every word has one normal form. Then two polynomials are equal by the
 * relations if and only if their normal forms are.
 *
 * Nothing is believed: every derived rule keeps its certificate, the sum
 *     left - right = sum_i factor_i before_i (left_i - right_i) after_i
 * over rules made before it, and in the end over basic ones. */
#ifndef SOA_EXPR_THEORY_H
#define SOA_EXPR_THEORY_H

#include "expr/algebra.h"

/* Whether rotors are allowed: then Arm and Gamma are not zero, and less is true. FREE: what is true whatever the operators
 * are, by their adjoints and inverses alone; inversion lemmas are, and need no definitions. */
typedef enum soa_theory_kind {
    SOA_THEORY_PLAIN,
    SOA_THEORY_ROTORS,
    SOA_THEORY_FREE,
} soa_theory_kind;

/* factor before (left - right of the rule) after */
typedef struct soa_use {
    soa_ratio factor;
    const soa_word *before, *after;
    int rule;
} soa_use;

typedef struct soa_trace {
    int count;
    soa_use *at;
} soa_trace;

typedef struct soa_rule {
    const soa_word *left;
    soa_poly right;
    const char *label; /* "I7"; "" for one without a name */
    bool basic;        /* a defining relation, or its adjoint */
    bool active;       /* false: not for rewriting, superseded or kept for certificates only */
    int next;          /* rule + 1: the rule after it that begins with the same letter; 0: none */
    soa_trace because; /* of a derived rule */
} soa_rule;

/* A polynomial and its inverse, and who says so. */
typedef struct soa_inverse_pair {
    const char *label;
    soa_poly of, is; /* normal forms */
} soa_inverse_pair;

/* A relation that has a name: the polynomial is zero. */
typedef struct soa_named {
    const char *label;
    soa_poly zero;
} soa_named;

/* What may be spent. */
typedef struct soa_budget {
    int rules;      /* that completion may add */
    int reductions; /* uses of rules */
    int overlap;    /* letters of a word that two rules share */
} soa_budget;

/* An inverse that was asked for: of what, as written, and what it was found to be. */
typedef struct soa_inverted {
    soa_poly of, is;
} soa_inverted;

/* An inverse of which nothing more is known. */
typedef struct soa_opaque {
    soa_poly of; /* normal form */
    soa_letter letter;
} soa_opaque;

/* A trace or a determinant, a letter, that is a sum of others, and why: what it is made of is equal to `as`, a multiple of an
 * operator whose determinant is known; or (as is NULL) to what the traces are made of and the uses, up to turns. Without a
 * letter: `of` is the derivative of one. */
typedef struct soa_measured {
    soa_poly letter, is;
    const soa_term *of, *as;
    soa_trace because;
} soa_measured;

typedef struct soa_theory {
    soa_algebra algebra;
    soa_theory_kind kind;
    soa_budget budget;
    soa_array rules;    /* of soa_rule */
    soa_array names;    /* of soa_named: what relations are called */
    soa_array pairs;    /* of soa_inverse_pair */
    soa_array opaques;  /* of soa_opaque */
    soa_array settled;  /* of soa_opaque: letters that are inverses and were found to be something else */
    soa_array inverted; /* of soa_inverted */
    soa_array measured; /* of soa_measured */
    bool blocks;        /* there are selectors of bodies */
    int completed;      /* rules whose overlaps are done */
    int reductions;     /* spent */
} soa_theory;

/* The theory of the operators, complete. The terms must outlive it. On failure it is cleared. */
soa_status soa_theory_init(soa_theory *theory, soa_theory_kind kind, soa_terms *terms, soa_error *error);
void soa_theory_clear(soa_theory *theory);
static inline bool soa_theory_ok(const soa_theory *theory)
{
    return soa_algebra_ok(&theory->algebra);
}
const soa_rule *soa_theory_rule(const soa_theory *theory, int rule);

/* A copy of an element at the end of a list, which is zero in the beginning and lives as long as the theory; false: the theory
 * has failed. */
#define soa_theory_add(theory, list, ...) soa_algebra_add(&(theory)->algebra, list, __VA_ARGS__, sizeof *(__VA_ARGS__))

/* The letter of an operator. */
soa_letter soa_theory_operator(soa_theory *theory, soa_operator op);

/* ---- rules ------------------------------------------------------------------------------- */

/* Takes the polynomial to be zero: a basic relation and its adjoint. -1: nothing new. */
int soa_theory_relate(soa_theory *theory, soa_poly zero, const char *label);

/* Takes a and b to be equal. */
void soa_theory_equate(soa_theory *theory, soa_poly a, soa_poly b, const char *label);

/* left - right of this rule is zero / its greatest factor; it is not active. -1: zero is 0, or there is no memory. */
int soa_theory_push_rule(soa_theory *theory, soa_poly zero, soa_rule about);

/* A rule that follows: zero is the sum of the uses. Not rewritten before. -1: nothing new. */
int soa_theory_derive(soa_theory *theory, soa_poly zero, soa_trace because, const char *label);

/* Adds what follows from overlaps. false: the budget is spent, or the algebra failed; the rules
 * that are there are right all the same. */
bool soa_theory_complete(soa_theory *theory);

/* Where a rule applies to the word, and which; -1: nowhere. */
typedef int soa_matcher(soa_theory *theory, void *context, const soa_word *word, int *rule);

/* Rewrites until the matcher finds nothing more; with uses (of soa_use) also how: a = result + sum of the uses. */
soa_poly soa_theory_rewrite(soa_theory *theory, soa_poly a, soa_matcher *match, void *context, soa_array *uses);

/* Normal form: rewritten with all active rules. */
soa_poly soa_theory_reduce(soa_theory *theory, soa_poly a, soa_array *uses);

/* The first place in the word where an active rule applies; -1: none. */
int soa_theory_match(const soa_theory *theory, const soa_word *word, int *rule);

/* What the relation zero = 0, or its adjoint, is called; NULL: it has no name. */
const char *soa_theory_name(soa_theory *theory, soa_poly zero);

/* Adds to a list of labels "V, P" those of another that it has not. */
void soa_labels_add(char *list, size_t size, const char *labels);

/* ---- inverses ------------------------------------------------------------------------------ */

/* Takes the letter to be the inverse of X, and shows that it is Y, from X Y = I:
 *     x - Y = x (I - X Y) + (x X - I) Y
 * false: X Y is not I by the rules there are. */
bool soa_theory_settle(soa_theory *theory, soa_letter x, soa_poly X, soa_poly Y, const char *label);

/* Remembers that X and Y, and their adjoints, are inverses of each other, if the rules say so. */
void soa_theory_pair(soa_theory *theory, soa_poly X, soa_poly Y, const char *label);

/* The pair whose first is X / *ratio; NULL: none is known. */
const soa_inverse_pair *soa_theory_known(const soa_theory *theory, soa_poly X, soa_ratio *ratio);

/* The inverse of X as a letter, called by the term: settled by a pair that is known, else with
 * the relations x X = X x = I and what follows from them. */
soa_poly soa_theory_inverse(soa_theory *theory, soa_poly X, const soa_term *term);

/* ---- parts ------------------------------------------------------------------------------------ */

/* The laws of a selector, a trace, a determinant or a pseudo-inverse whose letter is new; other variables have none. */
void soa_theory_part(soa_theory *theory, const soa_term *variable, soa_poly letter);

/* Adds a rule for a block in the word, between two selectors, that is zero or has factors that are I there. false: none. */
bool soa_theory_block(soa_theory *theory, const soa_word *word);

/* ---- certificates ---------------------------------------------------------------------------- */

/* A copy of uses (of soa_use), times factor, that lives as long as the theory. */
soa_trace soa_theory_keep(soa_theory *theory, const soa_array *uses, soa_ratio factor);

/* Expands a trace until it uses basic rules only: to uses (of soa_use, those with factor 0 count for nothing). */
void soa_theory_expand(soa_theory *theory, soa_trace trace, soa_array *uses);

/* What the uses of basic rules sum up to in the free algebra, where nothing is equal but what is the same; relations: how
 * many there are. */
soa_poly soa_theory_sum(soa_theory *theory, const soa_array *uses, int *relations);

/* ---- terms ------------------------------------------------------------------------------------ */

/* The term as a polynomial over letters, multiplied out but not rewritten (SOA_E_LIMIT if it gets too long). */
soa_poly soa_theory_poly(soa_theory *theory, const soa_term *term);

/* The polynomial of a text of a list; 0 if the theory has failed. */
soa_poly soa_theory_text(soa_theory *theory, const char *text);

/* a - b, or a if b is NULL, and whether its normal form is zero. */
soa_poly soa_theory_difference(soa_theory *theory, const soa_term *a, const soa_term *b);
bool soa_theory_equal(soa_theory *theory, const soa_term *a, const soa_term *b);

/* A polynomial as a sum of products, of this type. NULL: no room for terms. */
const soa_term *soa_theory_term(soa_theory *theory, soa_poly a, soa_type type);
const soa_term *soa_theory_product(soa_theory *theory, const soa_word *word, soa_type type);

/* ---- products of sums (factor.c) ---------------------------------------------------------------- */

typedef enum soa_factoring {
    SOA_FACTOR_BOTH,  /* (a + b) (c + d) wherever that saves most */
    SOA_FACTOR_LEFT,  /* a (b + c): what is common to the left, letter by letter */
    SOA_FACTOR_RIGHT, /* (a + b) c */
    SOA_FACTORINGS
} soa_factoring;

/* A term of this type that is the polynomial when multiplied out: no relation is used. Sums of
 * adjoints are written as the adjoint of a sum. NULL: no room for terms, or the algebra failed. */
const soa_term *soa_theory_factor(soa_theory *theory, soa_poly a, soa_type type, soa_factoring how);

#endif
