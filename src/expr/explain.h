/* expr/explain.h - graphs for people: recursions, levels, pictures. */
#ifndef SOA_EXPR_EXPLAIN_H
#define SOA_EXPR_EXPLAIN_H

#include "expr/graph.h"
#include "expr/print.h"

/* One equation of a sweep: z(k) = sum_j psi(k,j) z(j) + K(k,j) T(j). */
typedef struct soa_line {
    int sweep;
    bool behind; /* of all bodies at once, when the sweep is over */
    int step;
    const char *left, *right; /* in the notation */
} soa_line;

/* The equations of a graph, sweep after sweep; they live in its arena. */
typedef struct soa_recursions {
    const soa_graph *graph;
    soa_notation notation;
    soa_array lines;   /* soa_line */
    const char **name; /* by step, in ASCII: of those with a line, and of what is given */
    bool failed;       /* no memory */
} soa_recursions;

soa_recursions soa_recursions_of(const soa_graph *graph, soa_notation notation);

static inline const soa_line *soa_line_at(const soa_recursions *recursions, int line)
{
    return (const soa_line *)recursions->lines.items + line;
}

/* Characters, not bytes; marks over letters count for nothing. */
int soa_text_width(const char *text);

/* Names for steps (explain_name.c); false: no memory. */
bool soa_recursions_name(soa_recursions *recursions);

/* The first step that takes the value of a step; -1: none. */
int soa_step_consumer(const soa_graph *graph, int step);

/* What a step is called, and what it is, as formulas in ASCII; a value of all bodies (explain_write.c). */
void soa_put_step(const soa_recursions *recursions, int step, soa_page *left, soa_page *right);
void soa_put_value(const soa_recursions *recursions, int step, soa_page *text);

/* A formula or a name in ASCII put into the notation: {words} are words, dot A is a rate (notation.c). */
void soa_put_formula(const char *formula, soa_notation notation, soa_page *text);

/* The equations of the filter that a graph needs, line by line; NULL: no more. What P, D, K, psi, G are where there are
 * rotors too: Arm and Gamma are zero without them. */
typedef struct soa_filter_line {
    const char *left, *right;
} soa_filter_line;

const soa_filter_line *soa_filter_line_of(const soa_graph *graph, int line);

/* "cost    2 sweeps, O(N)" and the sweeps; LaTeX: an align* (amsmath). */
void soa_put_cost(const soa_graph *graph, soa_page *text);
void soa_put_sweeps(const soa_recursions *recursions, soa_page *text);

/* The seven levels: expression, operators, what they are, recursions, the transition of a
 * link, crossing a joint, coordinates (explain_levels.c). */
void soa_put_levels(const soa_recursions *recursions, soa_page *text);

/* The steps as a graph for dot, and as a picture (picture.c). */
void soa_put_dot(const soa_recursions *recursions, soa_page *text);
void soa_put_svg(const soa_recursions *recursions, soa_page *text);

#endif
