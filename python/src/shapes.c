/* shapes.c - how the numbers of one state are laid out. */
#include <string.h>

#include "binding.h"

/* ---- shapes ---------------------------------------------------------------------------------------- */

/* How the numbers of one state are laid out where it is not their list, "nv * nv" being nv by nv. name NULL: any. */
static const struct {
    const char *numbers, *name, *shape;
} SHAPES[] = {
    { "nv * nv", NULL, "nv,nv" },
    { "nv * nv * nv", NULL, "nv,nv,nv" },
    { "6 * bodies", NULL, "bodies,6" },
    { "6 * links", NULL, "links,6" },
    { "12 * links", NULL, "links,12" },
    { "6 * points", NULL, "points,6" },
    { "12 * points", NULL, "points,12" },
    { "6 * points * nv", "J", "6p,nv" },
    { "6 * points * nv", "J_dot", "6p,nv" },
    { "6 * points * nv", NULL, "nv,6p" },
    { "36 * points * points", NULL, "6p,6p" },
    { "36 * bodies", NULL, "bodies,6,6" },
    { "6 * bodies * nv", NULL, "nv,bodies,6" },
    { "6 * nv", "A", "6,nv" },
    { "3 * nv", NULL, "nv,3" },
    { "4 * nv * nv", NULL, "2v,2v" },
    { "2 * nv * nv", NULL, "2v,nv" },
    { "6 * nv * nv", NULL, "3v,2v" },
    { "3 * nv * nv", NULL, "3v,nv" },
    { "SOA_PARAMETERS * links * nv", NULL, "nv,links,10" },
    { "rows * nv", NULL, "rows,nv" },
    { "nv * dofs", NULL, "nv,dofs" },
    { "dofs * dofs", NULL, "dofs,dofs" },
    { "dofs * dofs * dofs", NULL, "dofs,dofs,dofs" },
    { "6 * points * dofs", NULL, "6p,dofs" },
    { "4 * dofs * dofs", NULL, "2d,2d" },
    { "2 * dofs * nv", NULL, "2d,nv" },
    { "6 * nv * dofs", NULL, "3v,2d" },
};

static size_t length_of(const char *word, size_t letters, const sizes *s)
{
    const struct {
        const char *word;
        size_t value;
    } known[] = { { "nv", s->nv }, { "nq", s->nq }, { "bodies", s->bodies }, { "links", s->links },
        { "points", s->points }, { "rows", s->rows }, { "dofs", s->dofs }, { "6p", 6 * s->points }, { "2v", 2 * s->nv },
        { "3v", 3 * s->nv }, { "2d", 2 * s->dofs }, { "3", 3 }, { "6", 6 }, { "10", 10 }, { "12", 12 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].word) == letters && memcmp(known[i].word, word, letters) == 0) {
            return known[i].value;
        }
    }
    return 0;
}

int binding_shape(const array_info *a, const sizes *s, size_t numbers, size_t *shape)
{
    const bool product = strchr(a->numbers, '*') != NULL; /* else a list of them, and no search */
    for (size_t i = 0; product && i < sizeof SHAPES / sizeof *SHAPES; i++) {
        if (strcmp(SHAPES[i].numbers, a->numbers) == 0 && (!SHAPES[i].name || strcmp(SHAPES[i].name, a->name) == 0)) {
            int dimensions = 0;
            for (const char *word = SHAPES[i].shape; *word;) {
                const size_t letters = strcspn(word, ",");
                shape[dimensions++] = length_of(word, letters, s);
                word += letters + (word[letters] == ',');
            }
            return dimensions;
        }
    }
    shape[0] = numbers;
    return 1;
}
