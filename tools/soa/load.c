/* load.c - the model a command is about, and questions about its links. */
#include <stdlib.h>
#include <string.h>

#include "soa/io.h"
#include "tool.h"

#define BUILTIN "builtin:"

/* Whoever forgets "builtin:" is told so. */
static void hint_builtin(const char *name)
{
    soa_model *model = NULL;
    if (strpbrk(name, "/.") == NULL && soa_model_builtin(name, NULL, &model, NULL) == SOA_OK) {
        fprintf(stderr, "Did you mean '" BUILTIN "%s'?\n", name);
    }
    soa_model_free(model);
}

int tool_load(const char *name, soa_model **model)
{
    soa_error error;
    soa_error_clear(&error);
    const bool builtin = strncmp(name, BUILTIN, strlen(BUILTIN)) == 0;
    const soa_status status =
        builtin ? soa_model_builtin(name + strlen(BUILTIN), NULL, model, &error) : soa_load(name, NULL, model, &error);
    if (status == SOA_OK) {
        return TOOL_OK;
    }
    tool_fail_error(&error);
    if (!builtin) {
        hint_builtin(name);
    }
    return TOOL_FAILED;
}

const char *tool_link_name(const soa_model *model, int link)
{
    return link == SOA_WORLD ? "world" : soa_model_link(model, link)->name;
}

bool tool_is_joint(const soa_link *link)
{
    return link->joint.kind != SOA_FIXED || link->joint.name != NULL;
}

bool tool_is_virtual(const soa_model *model, int link)
{
    return link != SOA_WORLD && (soa_model_link(model, link)->flags & SOA_LINK_VIRTUAL) != 0;
}

bool tool_has_axis(soa_joint_kind kind)
{
    return kind != SOA_FIXED && kind != SOA_SPHERICAL && kind != SOA_FREE;
}

bool tool_is_merged(const soa_model *model, int link)
{
    return soa_model_link(model, link)->joint.kind == SOA_FIXED;
}

/* ---- tree ------------------------------------------------------------------------- */

static int real_parent(const soa_model *model, int link)
{
    int parent = soa_model_link(model, link)->parent;
    while (tool_is_virtual(model, parent)) {
        parent = soa_model_link(model, parent)->parent;
    }
    return parent;
}

static void own_virtual(const soa_model *model, tool_tree *tree, int link)
{
    int above = soa_model_link(model, link)->parent;
    while (tool_is_virtual(model, above)) {
        tree->owner[above] = link;
        above = soa_model_link(model, above)->parent;
    }
}

/* Backwards, so that children come in the order of the file. */
static void hang_links(const soa_model *model, tool_tree *tree)
{
    tree->root = -1;
    for (int k = tree->links - 1; k >= 0; k--) {
        if (tool_is_virtual(model, k)) {
            continue;
        }
        const int parent = real_parent(model, k);
        int *first = parent == SOA_WORLD ? &tree->root : &tree->child[parent];
        own_virtual(model, tree, k);
        tree->owner[k] = k;
        tree->parent[k] = parent;
        tree->sibling[k] = *first;
        *first = k;
    }
}

int tool_tree_make(const soa_model *model, tool_tree *tree)
{
    const int n = soa_model_links(model);
    int *block = malloc(4 * ((size_t)n + 1) * sizeof *block);
    if (block == NULL) {
        return tool_fail("out of memory");
    }
    *tree = (tool_tree){ n, block, block + n, block + 2 * n, block + 3 * n, -1 };
    for (int k = 0; k < 4 * n; k++) {
        block[k] = -1;
    }
    hang_links(model, tree);
    return TOOL_OK;
}

void tool_tree_free(tool_tree *tree)
{
    free(tree->parent);
}
