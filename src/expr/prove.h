/* expr/prove.h - is A = B? Proved by rewriting, refuted by numbers, or left open.
 *
 * Both sides are multiplied out and rewritten by the rules of theory.h; if their
 * normal forms agree the chain A = ... = B is the proof, and its certificate, a sum
 * of multiples of the defining relations, has been checked by multiplying it out.
 * Both sides are also evaluated on random systems, in exact arithmetic: one on which they differ
 * refutes the statement, and a proof must agree. */
#ifndef SOA_EXPR_PROVE_H
#define SOA_EXPR_PROVE_H

#include "expr/print.h"
#include "expr/term.h"
#include "soa/expr.h"

/* One step: the term it leads to, and the rule by which: a label "I7" (several: "V, R"), or
 * "" for what needs none (products are multiplied out, sums collected). */
typedef struct soa_proof_step {
    const char *label;
    const soa_term *term;
} soa_proof_step;

/* Where the two sides differ. */
typedef struct soa_counterexample {
    char system[48]; /* a model: "builtin:tree:5,17"; "": only exact arithmetic shows it, on the system of the seed */
    int bodies;
    unsigned long long seed; /* soa_random_configuration with it gives q, the numbers after that beta, T, betadot */
    int row, col;            /* entry, from 0 */
    double left, right;      /* its values */
} soa_counterexample;

/* The systems tried to refute a statement, and to confirm one that was proved. */
enum { SOA_PROVE_SYSTEMS = 12, SOA_PROVE_CONFIRM = 2 };

/* What came of trying to prove an equation. Steps and their labels live as long as the terms. */
typedef struct soa_proof {
    soa_verdict verdict;
    bool budget_spent; /* rewriting was given up: too long */

    /* proved: left = step[0] = ... = step[steps - 1], which is right */
    int steps;
    const soa_proof_step *step;
    bool with_rotors;           /* it holds with rotors too; false: only where there are none */
    bool free;                  /* it holds whatever the operators are */
    bool inverses;              /* it takes for granted that the inverses in it exist */
    bool nowhere;               /* they exist on none of the systems tried: then it is not proved */
    bool checked;               /* the certificate was multiplied out and agrees */
    int relations;              /* uses of defining relations in the certificate */
    unsigned long long assumed; /* which assumptions it uses, bit by bit */

    /* refuted */
    soa_counterexample counterexample;

    /* Systems on which both sides were evaluated, and those where an inverse does not exist. */
    int systems, singular;
    bool exact; /* in exact arithmetic; false: in doubles, because of a root, or not at all */
} soa_proof;

/* Both terms are of one type. A statement that speaks of Arm or Gamma is about systems with
 * rotors, any other about systems without. Ends within a stated budget. */
soa_status soa_prove(soa_terms *terms, const soa_term *left, const soa_term *right, soa_proof *proof, soa_error *error);

/* ---- its parts ------------------------------------------------------------------------------ */

/* Compares the sides on at most so many systems: the verdict is REFUTED or OPEN. A refutation in exact arithmetic is certain. */
void soa_refute(
    soa_terms *terms, const soa_term *left, const soa_term *right, int systems, bool rotors, soa_proof *proof);

/* Whether Arm or Gamma is in the term. */
bool soa_term_has_rotors(const soa_terms *pool, const soa_term *term);

/* The sides on the next built-in tree from *seed on, with rotors or without: a counterexample if they differ by more than
 * `least` beside their numbers, else its system is "". Not SOA_OK if they cannot be evaluated there. */
soa_status soa_replay(soa_terms *terms, const soa_term *left, const soa_term *right, bool rotors, double least,
    unsigned long long *seed, soa_counterexample *c);

/* The command line that shows the counterexample. */
void soa_replay_put(
    soa_terms *terms, const soa_term *left, const soa_term *right, const soa_counterexample *c, soa_page *out);

#endif
