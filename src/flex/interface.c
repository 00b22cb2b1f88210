/* flex/interface.c - how a node, or a set of nodes, of finite elements moves as a whole. */
#include <string.h>
#include <strings.h>

#include "core/dense.h"
#include "core/error.h"
#include "flex/fe.h"

soa_status soa_fe_group_find(const soa_fe *fe, const char *name, soa_fe_group *g, soa_error *error)
{
    *g = (soa_fe_group){ .name = name };
    for (int i = 0; i < fe->sets; i++) {
        if (strcasecmp(fe->set_name[i], name) == 0) {
            g->node = fe->set_node + fe->set_start[i];
            g->count = fe->set_start[i + 1] - fe->set_start[i];
        }
    }
    for (int i = 0; g->count == 0 && fe->node_name && i < fe->nodes; i++) {
        if (fe->node_name[i] && strcmp(fe->node_name[i], name) == 0) {
            g->one = i;
            g->count = 1;
        }
    }
    if (g->count == 0) {
        return soa_fail(error, SOA_E_NAME, -1, "the model has no set or node '%.80s'%s%.80s%s", name,
            fe->sets ? "; a set is '" : "", fe->sets ? fe->set_name[0] : "", fe->sets ? "'" : "");
    }
    return SOA_OK;
}

/* One node with rotations of its own. */
static bool own_motion(const soa_fe *fe, const int *dof, const soa_fe_group *g, soa_fe_interface *f)
{
    const int *own = dof + 6 * (size_t)soa_fe_group_node(g, 0);
    for (int q = 0; q < 6; q++) {
        if (g->count != 1 || own[q] < 0) {
            return false;
        }
        f->row[(size_t)q * (size_t)fe->dofs + (size_t)own[q]] = 1.0;
    }
    return true;
}

/* T = sum |s|^2 - s s* of the nodes about their centre, and its inverse. */
static bool spread(const soa_fe *fe, const soa_fe_group *g, const double *centre, double inverse[9])
{
    double T[9] = { 0.0 };
    for (int i = 0; i < g->count; i++) {
        const double *r = fe->position + 3 * (size_t)soa_fe_group_node(g, i);
        const double s[3] = { r[0] - centre[0], r[1] - centre[1], r[2] - centre[2] };
        const double square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
        for (int e = 0; e < 9; e++) {
            T[e] += (e % 4 == 0 ? square : 0.0) - s[e / 3] * s[e % 3];
        }
    }
    return soa_cholesky_inverse(3, 1, T, inverse, 1e-8).rank == 3;
}

/* Least squares: displacement = mean of u, rotation = T^-1 sum s cross u. */
static bool mean_motion(const soa_fe *fe, const int *dof, const soa_fe_group *g, soa_fe_interface *f)
{
    double inverse[9];
    if (!spread(fe, g, f->centre, inverse)) {
        return false;
    }
    for (int i = 0; i < g->count; i++) {
        const int node = soa_fe_group_node(g, i);
        const double *r = fe->position + 3 * (size_t)node;
        const double s[3] = { r[0] - f->centre[0], r[1] - f->centre[1], r[2] - f->centre[2] };
        for (int d = 0; d < 3; d++) {
            const int at = dof[6 * (size_t)node + 3 + (size_t)d];
            double moment[3] = { 0.0 }; /* s cross e_d */
            moment[(d + 1) % 3] = s[(d + 2) % 3];
            moment[(d + 2) % 3] = -s[(d + 1) % 3];
            for (int q = 0; q < 3 && at >= 0; q++) {
                f->row[(size_t)q * (size_t)fe->dofs + (size_t)at] +=
                    inverse[3 * q] * moment[0] + inverse[3 * q + 1] * moment[1] + inverse[3 * q + 2] * moment[2];
            }
            if (at >= 0) {
                f->row[(size_t)(3 + d) * (size_t)fe->dofs + (size_t)at] += 1.0 / g->count;
            }
        }
    }
    return true;
}

soa_status soa_fe_interface_make(
    soa_arena *arena, const soa_fe *fe, const int *dof, const soa_fe_group *g, soa_fe_interface *f, soa_error *error)
{
    *f = (soa_fe_interface){ .row = soa_arena_take(arena, 6 * (size_t)fe->dofs, sizeof *f->row) };
    if (!f->row) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < g->count; i++) {
        for (int d = 0; d < 3; d++) {
            f->centre[d] += fe->position[3 * (size_t)soa_fe_group_node(g, i) + (size_t)d] / g->count;
        }
    }
    if (own_motion(fe, dof, g, f)) {
        return SOA_OK;
    }
    memset(f->row, 0, 6 * (size_t)fe->dofs * sizeof *f->row);
    return mean_motion(fe, dof, g, f)
               ? SOA_OK
               : soa_fail(error, SOA_E_ARGUMENT, -1,
                     "'%.80s' cannot say how it turns: its %d node%s on a line; name a set of three nodes that do not",
                     g->name, g->count, g->count == 1 ? " lies" : "s lie");
}
