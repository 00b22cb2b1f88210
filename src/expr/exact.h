/* expr/exact.h - expressions on random systems in exact arithmetic: a difference there is a fact, not rounding.
 *
 * The system is a real one, with rational lengths, masses and half-angle tangents; its numbers are taken modulo a
 * prime. Two sides that differ modulo the prime differ as fractions. Derivatives along coordinates are exact
 * too: numbers are polynomials in e0, e1, ... with e0^2 = e1^2 = 0, and moving a coordinate by e0 makes the
 * derivative the factor of e0. */
#ifndef SOA_EXPR_EXACT_H
#define SOA_EXPR_EXACT_H

#include <stdint.h>

#include "expr/term.h"
#include "soa/expr.h"

/* The most derivatives one inside another. */
enum { SOA_EXACT_ORDER = 2 };

/* The arithmetic: which prime, how many of e0, e1, ...; what cannot be made sets the status, which stays. */
typedef struct soa_field {
    soa_arena *arena;
    soa_terms *terms; /* whose limits hold */
    uint64_t prime;
    int order;
    soa_status status; /* SOA_E_SINGULAR: an inverse does not exist */
} soa_field;

/* A matrix: a plane of rows by cols numbers for each product of the e: bit i of the number of the plane is e_i. */
typedef struct soa_exact {
    int rows, cols;
    uint32_t *at;
} soa_exact;

soa_exact soa_exact_zero(soa_field *f, int rows, int cols);
soa_exact soa_exact_identity(soa_field *f, int rows);
soa_exact soa_exact_copy(soa_field *f, soa_exact a);
uint32_t *soa_exact_entry(soa_exact a, int plane, int row, int col);
soa_exact soa_exact_add(soa_field *f, soa_exact a, uint32_t factor, soa_exact b); /* a + factor b */
soa_exact soa_exact_multiply(soa_field *f, soa_exact a, soa_exact b);
soa_exact soa_exact_transpose(soa_field *f, soa_exact a);
soa_exact soa_exact_inverse(soa_field *f, soa_exact a);

/* The root of a diagonal matrix. SOA_E_NUMBER: an entry has none modulo the prime; SOA_E_UNSUPPORTED: it is not diagonal. */
soa_exact soa_exact_root(soa_field *f, soa_exact a);
soa_exact soa_exact_block(soa_field *f, soa_exact a, int row, int col, int rows, int cols);
soa_exact soa_exact_tilde(soa_field *f, soa_exact a, int row); /* of a x, of three rows of a from `row` on */
void soa_exact_put(soa_field *f, soa_exact to, int row, int col, soa_exact block); /* adds it there */

uint32_t soa_field_of(const soa_field *f, long long number);
uint32_t soa_field_ratio(soa_field *f, soa_ratio ratio);
uint32_t soa_field_inverse(const soa_field *f, uint32_t a);

/* ---- systems ---------------------------------------------------------------------------------- */

enum { SOA_EXACT_BODIES = 24, SOA_EXACT_POINTS = 2, SOA_EXACT_ROWS = 3 };

/* What e_i moves besides positions: velocity v is SOA_EXACT_VELOCITY + v, force v alike; all positions by beta in time. */
enum { SOA_EXACT_VELOCITY = 1000, SOA_EXACT_FORCE = 2000, SOA_EXACT_TIME = 3000 };

/* Which system; moved: the position that e_i moves along, or one of these. */
typedef struct soa_exact_choice {
    unsigned long long seed;
    int depth; /* bodies of its longest chain */
    bool rotors;
    bool single; /* all joints have one velocity: D is diagonal */
    int order, moved[SOA_EXACT_ORDER];
} soa_exact_choice;

typedef struct soa_exact_body {
    int parent; /* -1: the world */
    int kind, v, nv;
    bool together;      /* its coordinates are all taken in its own frame */
    soa_exact R, p;     /* its frame in that of its parent */
    soa_exact R_w, p_w; /* in the world */
} soa_exact_body;

typedef struct soa_exact_system {
    soa_field field;
    soa_exact_choice choice;
    int bodies, nv;
    soa_exact_body body[SOA_EXACT_BODIES];
    soa_exact op[SOA_OPERATORS], vector[SOA_VECTORS]; /* made when they are asked for */
    int terms;                                        /* that there were when it was made */
    soa_exact *known;                                 /* by number of the term: its value */
    struct soa_exact_system *moved, *next; /* moved along one coordinate more; another that is moved along as many */
} soa_exact_system;

/* A tree with joints of all kinds. Its operators and vectors live in the arena. */
soa_exact_system soa_exact_system_of(soa_arena *arena, soa_terms *terms, const soa_exact_choice *choice);

soa_exact soa_exact_operator(soa_exact_system *system, soa_operator op);
soa_exact soa_exact_vector(soa_exact_system *system, soa_vector_id vector);

/* An operator or a vector of the user's, of its type, kind and symmetry; positive: A A* + I. I where the body of a selector is,
 * the one of that number, or any for a name, and 0 elsewhere; points alike. */
soa_exact soa_exact_declared(soa_exact_system *system, const soa_variable *about);
soa_exact soa_exact_selector(soa_exact_system *system, const soa_variable *about);

/* What of the system moves along a coordinate, any velocity, but another for each joint; -1: there are not as many. */
int soa_exact_motion(const soa_exact_system *system, const soa_term *coordinate);

/* How many numbers a space has. */
int soa_exact_size(const soa_exact_system *system, soa_space space);

/* Whether body j is body k or outboard of it. */
bool soa_exact_outboard(const soa_exact_system *system, int k, int j);

/* Random entries in [-4, 4], fractions with a small denominator. */
soa_exact soa_exact_random_matrix(soa_field *f, unsigned long long *seed, int rows, int cols);

/* ---- terms --------------------------------------------------------------------------------------- */

typedef struct soa_exact_answer {
    bool roots; /* roots, whose signs are arbitrary, or logarithms: doubles must agree that it differs */
    bool
        evaluated; /* false: a root that is not of numbers, a third derivative, a system too large, no time or memory */
    bool exists, differs; /* all inverses exist and what is assumed holds; the sides differ */
    int bodies;
} soa_exact_answer;

/* Both sides, no deeper than SOA_PARSE_HEIGHT, on the system of that seed, which is deeper than any product of shifts in
 * them, or as deep as systems are made. */
soa_exact_answer soa_exact_compare(
    soa_terms *terms, const soa_term *left, const soa_term *right, unsigned long long seed, bool rotors);

#endif
