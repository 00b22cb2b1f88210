/* Random expressions as text, made by their types: well-typed ones, and those into
 * which one part of a wrong type was put. */
#ifndef SOA_TEST_RANDOM_TEXT_H
#define SOA_TEST_RANDOM_TEXT_H

#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "expr/term.h"

enum { RANDOM_TEXT = 1 << 14 };

typedef struct random_text {
    unsigned long long seed;
    char text[RANDOM_TEXT];
    size_t length;
    bool points;   /* use operators of points */
    bool inverses; /* and inverses of sums */
    bool definite; /* no I and 0: every part has a type of its own */
} random_text;

static inline int pick(random_text *r, int count)
{
    return (int)(soa_random_bits(&r->seed) % (unsigned)count);
}

static inline void put_text(random_text *r, const char *text)
{
    const size_t length = strlen(text);
    if (r->length + length < sizeof r->text) {
        memcpy(r->text + r->length, text, length + 1);
        r->length += length;
    }
}

/* ---- operators between places --------------------------------------------------------------- */

typedef struct random_atom {
    soa_operator op;
    bool adjoint;
    soa_place from, to;
} random_atom;

static inline int random_atoms(const random_text *r, random_atom *list)
{
    int count = 0;
    for (int op = SOA_OP_H; op < SOA_OPERATORS; op++) {
        for (int adjoint = 0; adjoint < 2; adjoint++) {
            const soa_operator_info info = soa_operator_about((soa_operator)op, adjoint);
            const bool constraint =
                info.domain_space == SOA_SPACE_CONSTRAINT || info.codomain_space == SOA_SPACE_CONSTRAINT;
            const bool point = info.domain_space == SOA_SPACE_POINT || info.codomain_space == SOA_SPACE_POINT;
            if (!constraint && (r->points || !point) && !(adjoint && info.symmetric)) {
                list[count++] = (random_atom){ (soa_operator)op, adjoint, { info.domain_space, info.domain_side },
                    { info.codomain_space, info.codomain_side } };
            }
        }
    }
    return count;
}

enum { PLACES = 6, ATOMS = 2 * SOA_OPERATORS, FAR = 9 };

static inline soa_place place_number(int i)
{
    return (soa_place){ (soa_space)(SOA_SPACE_JOINT + i / 2), i % 2 ? SOA_SIDE_FORCE : SOA_SIDE_MOTION };
}

static inline int number_of_place(soa_place place)
{
    return 2 * ((int)place.space - (int)SOA_SPACE_JOINT) + (place.side == SOA_SIDE_FORCE);
}

/* How many operators it takes from each place to `to`. */
static inline void distances(const random_atom *atom, int atoms, soa_place to, int far[PLACES])
{
    for (int i = 0; i < PLACES; i++) {
        far[i] = i == number_of_place(to) ? 0 : FAR;
    }
    for (int round = 0; round < PLACES; round++) {
        for (int i = 0; i < atoms; i++) {
            int *from = &far[number_of_place(atom[i].from)];
            const int there = far[number_of_place(atom[i].to)] + 1;
            *from = there < *from ? there : *from;
        }
    }
}

/* ---- well-typed --------------------------------------------------------------------------------- */

static inline void random_between(random_text *r, soa_place from, soa_place to, int depth);

/* Operators one after another from `from` to `to`, written from the left. */
static inline void random_chain(random_text *r, soa_place from, soa_place to, int most)
{
    random_atom atom[ATOMS];
    int far[PLACES];
    const int atoms = random_atoms(r, atom);
    if (!r->definite && soa_place_equal(from, to) && pick(r, 3) == 0) {
        put_text(r, "I");
        return;
    }
    for (int left = most; !soa_place_equal(from, to) || left == most; left--) {
        int able[ATOMS], count = 0;
        for (int i = 0; i < atoms; i++) {
            distances(atom, atoms, atom[i].from, far);
            if (soa_place_equal(atom[i].to, to) && far[number_of_place(from)] < (left > 0 ? left : 1)) {
                able[count++] = i;
            }
        }
        for (int i = 0; count == 0 && i < atoms; i++) { /* no way that short: the shortest there is */
            int best[PLACES];
            distances(atom, atoms, atom[i].from, far);
            distances(atom, atoms, to, best);
            if (soa_place_equal(atom[i].to, to) && far[number_of_place(from)] < best[number_of_place(from)]) {
                able[count++] = i;
            }
        }
        if (count == 0) {
            put_text(r, "0");
            return;
        }
        const random_atom *a = &atom[able[pick(r, count)]];
        put_text(r, soa_operator_text(a->op));
        put_text(r, a->adjoint ? "' " : " ");
        to = a->from;
    }
}

static inline void random_inverse(random_text *r, soa_place place, int depth)
{
    const bool joint = place.space == SOA_SPACE_JOINT && place.side == SOA_SIDE_FORCE;
    const bool body = place.space == SOA_SPACE_BODY && place.side == SOA_SIDE_FORCE;
    if (joint && r->inverses) {
        static const char *const text[] = { "(I + H phi K)^-1", "(I - H psi K)^-1", "inv(I + H P H' D^-1)",
            "(Mass D^-1)^-1" };
        put_text(r, text[pick(r, 4)]);
    } else if (body && r->inverses) {
        static const char *const text[] = { "phi^-1", "psi^-1", "(I - E_phi)^-1", "(I + tau)^-1" };
        put_text(r, text[pick(r, 4)]);
    } else {
        random_between(r, place, place, depth);
    }
}

static inline void random_between(random_text *r, soa_place from, soa_place to, int depth)
{
    const int way = depth > 0 ? pick(r, 7) : 0;
    char number[32];
    switch (way) {
    case 1:
    case 2:
        put_text(r, "(");
        random_between(r, from, to, depth - 1);
        put_text(r, way == 1 ? " + " : " - ");
        random_between(r, from, to, depth - 1);
        put_text(r, ")");
        break;
    case 3:
        (void)snprintf(number, sizeof number, "%d.%d (", pick(r, 4), pick(r, 100));
        put_text(r, number);
        random_between(r, from, to, depth - 1);
        put_text(r, ")");
        break;
    case 4:
        put_text(r, "(");
        random_between(r, soa_place_dual(to), soa_place_dual(from), depth - 1);
        put_text(r, ")'");
        break;
    case 5:
        put_text(r, "(");
        random_inverse(r, to, depth - 1);
        put_text(r, ") (");
        random_between(r, from, to, depth - 1);
        put_text(r, ")");
        break;
    case 6:
        put_text(r, "(");
        random_between(r, to, to, depth - 1);
        put_text(r, ") ");
        random_chain(r, from, to, 4);
        break;
    default:
        random_chain(r, from, to, 1 + pick(r, 5));
        break;
    }
}

static inline soa_place random_place(random_text *r)
{
    return place_number(pick(r, r->points ? PLACES : 4));
}

/* A vector that is given or follows from the state, of this place; NULL: none. */
static inline const char *vector_of(random_text *r, soa_place place)
{
    static const char *const list[PLACES][3] = {
        { "beta", "betadot", "beta" },
        { "T", "C", "T" },
        { "V", "alpha", "a" },
        { "b", "f", "b" },
        { NULL, NULL, NULL },
        { "f_c", "f_c", "f_c" },
    };
    return list[number_of_place(place)][pick(r, 3)];
}

/* An operator expression, or with `vector` one of these on a vector. */
static inline const char *random_expression(random_text *r, unsigned long long seed, bool vector)
{
    r->seed = seed;
    r->length = 0;
    r->text[0] = '\0';
    const soa_place from = random_place(r), to = random_place(r);
    const char *on = vector ? vector_of(r, from) : NULL;
    put_text(r, on ? "(" : "");
    random_between(r, from, to, 3);
    put_text(r, on ? ") " : "");
    put_text(r, on ? on : "");
    return r->text;
}

/* ---- ill-typed ---------------------------------------------------------------------------------------- */

/* Whether one or more operators lead from one place to another. */
static inline bool leads(const random_text *r, soa_place from, soa_place to)
{
    random_atom atom[ATOMS];
    int far[PLACES];
    const int atoms = random_atoms(r, atom);
    for (int i = 0; i < atoms; i++) {
        distances(atom, atoms, atom[i].from, far);
        if (soa_place_equal(atom[i].to, to) && far[number_of_place(from)] < FAR) {
            return true;
        }
    }
    return false;
}

static inline void random_pair(random_text *r, soa_place *from, soa_place *to)
{
    do {
        *from = random_place(r);
        *to = random_place(r);
    } while (!leads(r, *from, *to));
}

/* Somewhere in an expression that is well-typed otherwise, a sum or product of two parts
 * that do not fit. */
static inline const char *wrong_expression(random_text *r, unsigned long long seed)
{
    r->seed = seed;
    r->length = 0;
    r->text[0] = '\0';
    r->definite = true;
    soa_place from, to, other_from, other_to;
    const bool sum = pick(r, 2);
    do {
        random_pair(r, &from, &to);
        random_pair(r, &other_from, &other_to);
    } while (
        sum ? soa_place_equal(from, other_from) && soa_place_equal(to, other_to) : soa_place_equal(from, other_to));
    const int around = pick(r, 3);
    put_text(r, around == 1 ? "2 " : "");
    put_text(r, "((");
    random_chain(r, from, to, 3);
    put_text(r, sum ? ") + (" : ") (");
    random_chain(r, other_from, other_to, 3);
    put_text(r, around == 2 ? "))'" : "))");
    r->definite = false;
    return r->text;
}

#endif
