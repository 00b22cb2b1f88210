/* model/check_rest.c - what frames, couplings and closures must be. */
#include <math.h>

#include "core/error.h"
#include "model/judge.h"

static bool is_link(const soa_description *d, int link)
{
    return link >= 0 && link < d->link.count;
}

static bool is_place(const soa_description *d, int link)
{
    return link == SOA_WORLD || is_link(d, link);
}

static soa_status check_frame(const soa_description *d, const soa_frame *frame, soa_error *error)
{
    soa_judge j = { { error, SOA_OK }, "frame", frame->name, frame->source };
    soa_require(&j, is_place(d, frame->link), SOA_E_NAME, "its link %d does not exist", frame->link);
    soa_require(
        &j, soa_pose_valid(&frame->at), SOA_E_ARGUMENT, "its placement is not a finite position and a rotation");
    soa_require_node(&j, d, frame->link, frame->node);
    return j.outcome.status;
}

static soa_status check_geometry(const soa_description *d, const soa_geometry *g, soa_error *error)
{
    const char *shape = soa_shape_text(g->shape), *fault = NULL;
    const int sizes = soa_shape_sizes(g->shape);
    bool finite = true, positive = true;
    for (int i = 0; i < 3; i++) {
        finite = finite && (i >= sizes || isfinite(g->size[i]));
        positive = positive && (i >= sizes || g->size[i] >= 0.0 || g->shape == SOA_SHAPE_MESH);
    }
    for (int i = 0; i < 4; i++) {
        finite = finite && (!g->colored || isfinite(g->color[i]));
    }
    if (!is_place(d, g->link)) {
        fault = "its link does not exist";
    } else if (sizes == 0) {
        fault = "its shape does not exist";
    } else if (!finite || !positive) {
        fault = "a size or colour is negative or not finite";
    } else if (!soa_pose_valid(&g->at)) {
        fault = "its placement is not a finite position and a rotation";
    } else if ((g->shape == SOA_SHAPE_MESH) != (g->mesh && g->mesh[0])) {
        fault = "a mesh, and nothing else, needs the name of a file";
    }
    return fault ? soa_fail_source(error, SOA_E_ARGUMENT, g->source, "geometry (%s): %s", shape, fault) : SOA_OK;
}

/* ---- couplings -------------------------------------------------------------------- */

/* Judges the joint of a link, in a coupling. */
static soa_judge judge_joint(const soa_description *d, const soa_coupling *c, int link, soa_error *error)
{
    const soa_link *l = soa_description_link(d, link);
    return (soa_judge){ { error, SOA_OK }, "joint", l->joint.name ? l->joint.name : l->name, c->source };
}

static soa_status check_coupled_joint(const soa_description *d, const soa_coupling *c, int link, soa_error *error)
{
    if (!is_link(d, link)) {
        return soa_fail_source(error, SOA_E_COUPLING, c->source, "coupling '%s': link %d does not exist",
            c->name ? c->name : "(unnamed)", link);
    }
    soa_judge j = judge_joint(d, c, link, error);
    const soa_joint_kind kind = soa_description_link(d, link)->joint.kind;
    soa_require(&j, soa_joint_kind_nq(kind) == 1, SOA_E_COUPLING,
        "is %s and cannot be coupled; couple joints with one coordinate", soa_joint_kind_text(kind));
    return j.outcome.status;
}

static soa_status check_coupling(const soa_description *d, const soa_coupling *c, soa_error *error)
{
    soa_status status = check_coupled_joint(d, c, c->link, error);
    if (status == SOA_OK && c->driver != -1) {
        status = check_coupled_joint(d, c, c->driver, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    soa_judge j = judge_joint(d, c, c->link, error);
    soa_require(&j, c->driver != c->link, SOA_E_COUPLING, "is coupled to itself; name another joint");
    for (int i = 0; i < SOA_COUPLING_TERMS; i++) {
        soa_require(&j, isfinite(c->coefficient[i]), SOA_E_NUMBER, "the figures of its coupling must be finite");
    }
    return j.outcome.status;
}

/* coupling_of[link] = the coupling of that link's joint, or -1; refuses two for one joint. */
static soa_status index_couplings(const soa_description *d, int *coupling_of, soa_error *error)
{
    for (int i = 0; i < d->link.count; i++) {
        coupling_of[i] = -1;
    }
    for (int i = 0; i < d->coupling.count; i++) {
        const soa_coupling *c = soa_array_at(&d->coupling, i);
        if (coupling_of[c->link] >= 0) {
            soa_judge j = judge_joint(d, c, c->link, error);
            soa_require(&j, false, SOA_E_COUPLING, "is coupled twice; keep one coupling");
            return j.outcome.status;
        }
        coupling_of[c->link] = i;
    }
    return SOA_OK;
}

/* Walks from each coupled joint to its driver and on; a walk that meets itself is a cycle. */
static soa_status check_coupling_cycles(const soa_description *d, const int *coupling_of, int *walk, soa_error *error)
{
    for (int i = 0; i < d->link.count; i++) {
        walk[i] = -1;
    }
    for (int i = 0; i < d->coupling.count; i++) {
        const soa_coupling *c = soa_array_at(&d->coupling, i);
        int link = c->link;
        while (link >= 0 && walk[link] < 0 && coupling_of[link] >= 0) {
            walk[link] = i;
            link = ((const soa_coupling *)soa_array_at(&d->coupling, coupling_of[link]))->driver;
        }
        if (link >= 0 && walk[link] == i) {
            soa_judge j = judge_joint(d, c, link, error);
            soa_require(
                &j, false, SOA_E_COUPLING, "follows itself through its couplings; let one joint of the cycle be free");
            return j.outcome.status;
        }
    }
    return SOA_OK;
}

static soa_status check_couplings(const soa_model *model, soa_error *error)
{
    const soa_description *d = &model->description;
    if (d->coupling.count == 0) {
        return SOA_OK;
    }
    for (int i = 0; i < d->coupling.count; i++) {
        const soa_status status = check_coupling(d, soa_array_at(&d->coupling, i), error);
        if (status != SOA_OK) {
            return status;
        }
    }
    int *coupling_of = soa_allocate(&model->allocator, 2 * (size_t)d->link.count, sizeof *coupling_of);
    if (!coupling_of) {
        return soa_fail_memory(error);
    }
    soa_status status = index_couplings(d, coupling_of, error);
    SOA_NEXT(status, check_coupling_cycles(d, coupling_of, coupling_of + d->link.count, error));
    soa_release(&model->allocator, coupling_of);
    return status;
}

/* ---- closures --------------------------------------------------------------------- */

static soa_status check_closure(const soa_description *d, const soa_closure *c, soa_error *error)
{
    soa_judge j = { { error, SOA_OK }, "closure", c->name ? c->name : "(unnamed)", c->source };
    soa_require(&j, (unsigned)c->kind < SOA_CLOSURE_KINDS, SOA_E_CLOSURE, "kind %d does not exist", (int)c->kind);
    soa_require(&j, is_place(d, c->a) && is_place(d, c->b), SOA_E_CLOSURE, "link %d or %d does not exist", c->a, c->b);
    soa_require(&j, c->a != c->b, SOA_E_CLOSURE, "joins a link to itself; name two different links");
    soa_require(&j, soa_pose_valid(&c->at_a) && soa_pose_valid(&c->at_b), SOA_E_CLOSURE,
        "a placement is not a finite position and a rotation");
    soa_require(&j, isfinite(c->friction) && !(c->friction < 0.0) && isfinite(c->distance) && !(c->distance < 0.0),
        SOA_E_CLOSURE, "friction and distance must be finite and not negative");
    soa_require_node(&j, d, c->a, c->node_a);
    soa_require_node(&j, d, c->b, c->node_b);
    return soa_ok(&j.outcome) ? soa_check_closure_rows(c, error) : j.outcome.status;
}

soa_status soa_check_rest(soa_model *model, soa_error *error)
{
    const soa_description *d = &model->description;
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < d->frame.count; i++) {
        status = check_frame(d, soa_array_at(&d->frame, i), error);
    }
    for (int i = 0; status == SOA_OK && i < d->geometry.count; i++) {
        status = check_geometry(d, soa_array_at(&d->geometry, i), error);
    }
    for (int i = 0; status == SOA_OK && i < d->closure.count; i++) {
        const soa_closure *closure = soa_array_at(&d->closure, i);
        status = check_closure(d, closure, error);
        SOA_NEXT(status, soa_warn_closure(model, closure, error));
    }
    return status == SOA_OK ? check_couplings(model, error) : status;
}
