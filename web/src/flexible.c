/* flexible.c - flexible links on the page: their nodes, which the library places, and what JavaScript draws them from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "soa/flex.h"

enum { MOST_DRAWN = 4000 }; /* nodes of a link */

int page_node_stride(const soa_flexible *flexible)
{
    return flexible ? (flexible->nodes + MOST_DRAWN - 1) / MOST_DRAWN : 1;
}

int page_nodes_drawn(const soa_flexible *flexible)
{
    const int stride = page_node_stride(flexible);
    return flexible && stride > 0 ? (flexible->nodes + stride - 1) / stride : 0;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

int page_modes_body(const soa_model *model, int link)
{
    const int body = soa_model_link_body(model, link, NULL);
    const soa_body b = soa_model_body(model, body);
    return body >= 0 && b.link == link && b.flexible && b.nv > 0 ? body : SOA_NONE;
}

/* ---- points ------------------------------------------------------------------------------------- */

int page_points(const soa_model *model)
{
    int count = 2 * soa_model_closures(model);
    for (int k = 0; k < soa_model_links(model); k++) {
        count += page_nodes_drawn(soa_model_link(model, k)->flexible);
    }
    return count;
}

soa_status page_points_make(page *p)
{
    int at = 0;
    p->points = page_points(p->model);
    p->point = calloc((size_t)p->points + 1, sizeof *p->point);
    if (!p->point) {
        return SOA_E_MEMORY;
    }
    for (int i = 0; i < soa_model_closures(p->model); i++) {
        const soa_closure *c = soa_model_closure(p->model, i);
        p->point[at++] = (soa_point){ c->a, c->at_a, c->node_a };
        p->point[at++] = (soa_point){ c->b, c->at_b, c->node_b };
    }
    for (int k = 0; k < soa_model_links(p->model); k++) {
        const soa_flexible *flexible = soa_model_link(p->model, k)->flexible;
        for (int i = 0; i < page_nodes_drawn(flexible); i++) {
            p->point[at++] = (soa_point){ k, soa_pose_identity(), 1 + i * page_node_stride(flexible) };
        }
    }
    return soa_workspace_reserve(p->workspace, p->points, &p->error);
}

soa_status page_points_update(page *p)
{
    return p->points == 0 ? SOA_OK
                          : soa_point_kinematics(p->model, p->workspace, p->points, p->point, 1, p->number[PAGE_Q],
                                NULL, NULL, p->number[PAGE_POINT], NULL, NULL, &p->error);
}

/* ---- texts ---------------------------------------------------------------------------------------- */

/* How far the farthest node moves for a unit of mode i. */
static double farthest(const soa_flexible *f, int i)
{
    double most = 0.0;
    for (int node = 0; node < f->nodes; node++) {
        const double *u = f->shape + 6 * ((size_t)node * (size_t)f->modes + (size_t)i) + 3;
        most = fmax(most, hypot(hypot(u[0], u[1]), u[2]));
    }
    return most;
}

/* Modes and nodes of a link; *first is the number of its first point, and moves on. */
void page_write_flexible(page_writer *w, const soa_model *model, int link, int *first)
{
    const soa_flexible *f = soa_model_link(model, link)->flexible;
    double frequency[SOA_MAX_MODES] = { 0 }, reach[SOA_MAX_MODES];
    if (!f) {
        return;
    }
    (void)soa_flexible_frequencies(f, frequency, NULL, NULL); /* zeros: not known */
    for (int i = 0; i < f->modes; i++) {
        reach[i] = farthest(f, i);
    }
    const int drawn = page_nodes_drawn(f), stride = page_node_stride(f), body = page_modes_body(model, link);
    page_write(w, ",\"flexible\":{\"modes\":%d,\"nodes\":%d,\"stride\":%d,\"first\":%d,\"drawn\":%d,\"body\":%d",
        f->modes, f->nodes, stride, *first, drawn, body);
    page_write(w, ",\"frequency\":");
    page_write_numbers(w, f->modes, frequency);
    page_write(w, ",\"reach\":");
    page_write_numbers(w, f->modes, reach);
    page_write(w, ",\"position\":[");
    for (int i = 0; i < drawn; i++) {
        page_write(w, i > 0 ? "," : "");
        page_write_numbers(w, 3, f->position + 3 * (size_t)i * (size_t)stride);
    }
    page_write(w, "]}");
    *first += drawn;
}
