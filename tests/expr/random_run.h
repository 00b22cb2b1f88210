/* tests/expr/random_run.h - random well-typed expressions, as text. */
#ifndef SOA_TEST_RANDOM_RUN_H
#define SOA_TEST_RANDOM_RUN_H

#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "soa/operator.h"

enum { RANDOM_TEXT = 1 << 16 };

typedef struct random_place {
    soa_space space;
    soa_side side;
} random_place;

/* The vectors that expressions are made of, one per place. */
static const struct {
    const char *name, *declared;
    random_place place;
} random_vector[] = {
    { "u_jm", "joint motion", { SOA_SPACE_JOINT, SOA_SIDE_MOTION } },
    { "u_jf", "joint force", { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
    { "u_bm", "body motion", { SOA_SPACE_BODY, SOA_SIDE_MOTION } },
    { "u_bf", "body force", { SOA_SPACE_BODY, SOA_SIDE_FORCE } },
    { "u_pm", "point motion", { SOA_SPACE_POINT, SOA_SIDE_MOTION } },
    { "u_pf", "point force", { SOA_SPACE_POINT, SOA_SIDE_FORCE } },
    { "u_cm", "constraint motion", { SOA_SPACE_CONSTRAINT, SOA_SIDE_MOTION } },
    { "u_cf", "constraint force", { SOA_SPACE_CONSTRAINT, SOA_SIDE_FORCE } },
};
enum { RANDOM_VECTORS = 8 };

/* Inverses and roots: text, from, to. */
static const struct {
    const char *text;
    random_place from, to;
} random_special[] = {
    { "inv(phi)", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_BODY, SOA_SIDE_FORCE } },
    { "inv(psi')", { SOA_SPACE_BODY, SOA_SIDE_MOTION }, { SOA_SPACE_BODY, SOA_SIDE_MOTION } },
    { "inv(I - H psi K)", { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
    { "inv(I + H phi K)'", { SOA_SPACE_JOINT, SOA_SIDE_MOTION }, { SOA_SPACE_JOINT, SOA_SIDE_MOTION } },
    { "inv(I - E_psi)", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_BODY, SOA_SIDE_FORCE } },
    { "inv(M)", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_BODY, SOA_SIDE_MOTION } },
    { "inv(P + R)", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_BODY, SOA_SIDE_MOTION } },
    { "inv(Mass + D)", { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_MOTION } },
    { "inv(H P H' + D)", { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_MOTION } },
    { "(D^(1/2) D^(1/2))", { SOA_SPACE_JOINT, SOA_SIDE_MOTION }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
    { "(D^(-1/2) D^(-1/2))", { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_MOTION } },
    { "(M^(1/2) M^(1/2))", { SOA_SPACE_BODY, SOA_SIDE_MOTION }, { SOA_SPACE_BODY, SOA_SIDE_FORCE } },
};

typedef struct random_text {
    char text[RANDOM_TEXT];
    size_t used;
    unsigned long long seed;
} random_text;

static inline int random_below(random_text *t, int n)
{
    return (int)(soa_random_bits(&t->seed) % (unsigned)n);
}

static inline void random_put(random_text *t, const char *more)
{
    t->used += (size_t)snprintf(t->text + t->used, sizeof t->text - t->used, "%s", more);
}

static inline bool random_same(random_place a, random_place b)
{
    return a.space == b.space && a.side == b.side;
}

/* An operator that ends at `to`, at random; *from: where it begins. */
static inline void random_operator(random_text *t, random_place to, random_place *from)
{
    const int specials = (int)(sizeof random_special / sizeof random_special[0]);
    for (;;) {
        if (random_below(t, 6) == 0) {
            const int i = random_below(t, specials);
            if (random_same(random_special[i].to, to)) {
                random_put(t, random_special[i].text);
                *from = random_special[i].from;
                return;
            }
            continue;
        }
        const soa_operator op = (soa_operator)(1 + random_below(t, SOA_OPERATORS - 1));
        const bool adjoint = random_below(t, 2);
        const soa_operator_info about = soa_operator_about(op, adjoint);
        if (about.codomain_space == to.space && about.codomain_side == to.side) {
            random_put(t, about.text);
            random_put(t, adjoint ? "'" : "");
            *from = (random_place){ about.domain_space, about.domain_side };
            return;
        }
    }
}

static inline void random_factor(random_text *t)
{
    char number[32];
    snprintf(number, sizeof number, "%.3f ", soa_random_between(&t->seed, 0.2, 2.0));
    random_put(t, random_below(t, 3) ? "" : number);
}

/* A vector of a place. */
static inline void random_vector_text(random_text *t, random_place place, int depth)
{
    const bool source =
        place.space == SOA_SPACE_CONSTRAINT && place.side == SOA_SIDE_FORCE; /* no operator ends there */
    if (depth == 0 || source) {
        for (int i = 0; i < RANDOM_VECTORS; i++) {
            if (random_same(random_vector[i].place, place)) {
                random_put(t, random_vector[i].name);
            }
        }
        return;
    }
    if (random_below(t, 3) == 0) {
        random_put(t, "(");
        random_factor(t);
        random_vector_text(t, place, depth - 1);
        random_put(t, random_below(t, 2) ? " + " : " - ");
        random_factor(t);
        random_vector_text(t, place, depth - 1);
        random_put(t, ")");
        return;
    }
    random_place from;
    random_operator(t, place, &from);
    random_put(t, " ");
    random_vector_text(t, from, depth - 1);
}

static inline void random_declarations(random_text *t)
{
    for (int i = 0; i < RANDOM_VECTORS; i++) {
        random_put(t, random_vector[i].name);
        random_put(t, ": ");
        random_put(t, random_vector[i].declared);
        random_put(t, "; ");
    }
}

/* A product of operators that ends at `to`: an operator-valued expression. */
static inline void random_product(random_text *t, random_place to, int count)
{
    for (int i = 0; i < count && (to.space != SOA_SPACE_CONSTRAINT || to.side != SOA_SIDE_FORCE); i++) {
        random_put(t, i ? " " : "");
        random_operator(t, to, &to);
    }
}

#endif
