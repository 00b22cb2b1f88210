/* tests/flex/cube.h - matrices of a small model: eight point masses joined by springs. */
#ifndef SOA_TESTS_CUBE_H
#define SOA_TESTS_CUBE_H

#include <string.h>

#include "soa/flex.h"

/* A cube of eight point masses, joined by springs along all 28 lines: free of supports, six rigid motions. */
enum { CORNERS = 8, DOFS = 24, MOST_ENTRIES = 28 * 36 };

typedef struct cube {
    double position[CORNERS * 3];
    int node[DOFS], direction[DOFS], row[MOST_ENTRIES], column[MOST_ENTRIES], at[DOFS];
    double stiffness[MOST_ENTRIES], mass[DOFS];
    int set_start[3], set_node[8];
    soa_fe fe;
} cube;

static const char *const set_names[] = { "BASE", "TOP" };

static inline void cube_add(cube *c, int i, int j, double value)
{
    const int at = c->fe.stiffness.entries++;
    c->row[at] = i;
    c->column[at] = j;
    c->stiffness[at] = value;
}

static inline void add_spring(cube *c, int a, int b)
{
    double n[3], length = 0.0;
    for (int d = 0; d < 3; d++) {
        n[d] = c->position[3 * b + d] - c->position[3 * a + d];
        length += n[d] * n[d];
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            const int p = i < 3 ? 3 * a + i : 3 * b + i - 3, q = j < 3 ? 3 * a + j : 3 * b + j - 3;
            const double value = 1000.0 * n[i % 3] * n[j % 3] / length;
            cube_add(c, p, q, i / 3 == j / 3 ? value : -value);
        }
    }
}

static inline void make_cube(cube *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < CORNERS; i++) {
        for (int d = 0; d < 3; d++) {
            c->position[3 * i + d] = (i >> d & 1) * (1.0 + 0.1 * d) + (d == 0 ? 0.5 : 0.0);
            c->node[3 * i + d] = i;
            c->direction[3 * i + d] = 3 + d;
            c->mass[3 * i + d] = 1.0 + i;
            c->at[3 * i + d] = 3 * i + d;
        }
    }
    const int sets[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    memcpy(c->set_node, sets, sizeof sets);
    c->set_start[1] = 4;
    c->set_start[2] = 8;
    c->fe = (soa_fe){ .nodes = CORNERS,
        .position = c->position,
        .dofs = DOFS,
        .node = c->node,
        .direction = c->direction,
        .stiffness = { 0, c->row, c->column, c->stiffness, true },
        .mass = { DOFS, c->at, c->at, c->mass, false },
        .sets = 2,
        .set_name = set_names,
        .set_start = c->set_start,
        .set_node = c->set_node };
    for (int a = 0; a < CORNERS; a++) {
        for (int b = 0; b < a; b++) {
            add_spring(c, a, b);
        }
    }
}

#endif
