/* io/mjcf_write_rest.c - equalities (closures, couplings) and keyframes. */
#include <math.h>
#include <string.h>

#include "io/mjcf_write.h"

/* ---- closures ---------------------------------------------------------------------------- */

static const char *body_name(mjcf_writer *w, const soa_closure *c, int link)
{
    if (soa_mjcf_is_carrier(w, link)) {
        soa_mjcf_refuse(w, "closure", c->name, "holds a link that only carries a joint");
    }
    return soa_mjcf_body_name(w, link);
}

/* MuJoCo takes the point of body 2 to be where that of body 1 is at the reference. */
static bool meets(const mjcf_writer *w, const soa_closure *c)
{
    soa_pose a = soa_mjcf_stand_in_world(w, c->a), b = soa_mjcf_stand_in_world(w, c->b);
    a = soa_pose_compose(&a, &c->at_a);
    b = soa_pose_compose(&b, &c->at_b);
    for (int i = 0; i < 3; i++) {
        if (fabs(a.position[i] - b.position[i]) > 1e-9 * (1.0 + fabs(a.position[i]))) {
            return false;
        }
    }
    return true;
}

static void write_closure(mjcf_writer *w, const soa_closure *c)
{
    const bool weld = c->kind == SOA_CLOSE_RIGID;
    if (!weld && c->kind != SOA_CLOSE_SPHERICAL) {
        soa_mjcf_refuse(w, "closure", c->name, soa_closure_kind_text(c->kind));
    } else if (!weld && !meets(w, c)) {
        soa_mjcf_refuse(w, "closure", c->name, "its two points are apart at the reference configuration");
    }
    soa_text_add(w->text, weld ? "<weld" : "<connect");
    if (c->name) {
        soa_xml_write(w->text, " name=$s", c->name);
    }
    const char *a = body_name(w, c, c->a), *b = body_name(w, c, c->b);
    soa_xml_write(w->text, " body1=$s body2=$s", a, b);
    if (weld) {
        const soa_pose b_inv = soa_pose_inverse(&c->at_b);
        const soa_pose between = soa_pose_compose(&c->at_a, &b_inv);
        double relpose[7];
        memcpy(relpose, c->at_a.position, sizeof c->at_a.position);
        soa_pose_quaternion(&between, relpose + 3);
        soa_xml_write(w->text, " relpose=$7 anchor=$3", relpose, c->at_b.position);
    } else {
        soa_xml_write(w->text, " anchor=$3", c->at_a.position);
    }
    soa_text_add(w->text, c->inactive ? " active=\"false\"/>\n" : "/>\n");
}

/* ---- couplings --------------------------------------------------------------------------- */

void soa_mjcf_shift(const double a[SOA_COUPLING_TERMS], double y0, double x0, double c[SOA_COUPLING_TERMS])
{
    memset(c, 0, SOA_COUPLING_TERMS * sizeof *c);
    for (int i = SOA_COUPLING_TERMS - 1; i >= 0; i--) {
        for (int j = SOA_COUPLING_TERMS - 1; j > 0; j--) {
            c[j] = c[j - 1] - x0 * c[j];
        }
        c[0] = a[i] - x0 * c[0];
    }
    c[0] += y0;
}

/* c(x0 + d) = y0 + polycoef(d). */
static void write_coupling(mjcf_writer *w, const soa_coupling *c)
{
    const double y0 = soa_model_link(w->model, c->link)->joint.reference;
    double polycoef[SOA_COUPLING_TERMS] = { c->coefficient[0] - y0 };
    char buffer[SOA_WRITTEN_NAME];
    soa_text_add(w->text, "<joint");
    if (c->name) {
        soa_xml_write(w->text, " name=$s", c->name);
    }
    soa_xml_write(w->text, " joint1=$s", soa_mjcf_joint_name(w, c->link, buffer));
    if (c->driver >= 0) {
        soa_xml_write(w->text, " joint2=$s", soa_mjcf_joint_name(w, c->driver, buffer));
        soa_mjcf_shift(c->coefficient, -y0, -soa_model_link(w->model, c->driver)->joint.reference, polycoef);
    }
    soa_xml_write(w->text, " polycoef=$5/>\n", polycoef);
}

void soa_mjcf_write_equality(mjcf_writer *w)
{
    const int closures = soa_model_closures(w->model), couplings = soa_model_couplings(w->model);
    soa_text_add(w->text, "%s", closures + couplings > 0 ? "<equality>\n" : "");
    for (int i = 0; i < closures; i++) {
        write_closure(w, soa_model_closure(w->model, i));
    }
    for (int i = 0; i < couplings; i++) {
        write_coupling(w, soa_model_coupling(w->model, i));
    }
    soa_text_add(w->text, "%s", closures + couplings > 0 ? "</equality>\n" : "");
}

/* ---- keyframes --------------------------------------------------------------------------- */

/* Numbers of an attribute, one joint after another. */
static void add_numbers(mjcf_writer *w, int n, const double *values)
{
    for (int i = 0; i < n; i++) {
        soa_text_add(w->text, " ");
        soa_text_number(w->text, values[i]);
    }
}

/* Where a free body is in the world: its joint need not be placed at the origin. */
static soa_pose free_pose(const mjcf_writer *w, const soa_link *link, const double *q)
{
    const soa_pose parent = soa_mjcf_stand_in_world(w, link->parent);
    const soa_pose at = soa_pose_compose(&parent, &link->joint.at);
    const soa_pose moved = soa_pose_from_quaternion(q + 4, q);
    return soa_pose_compose(&at, &moved);
}

static void add_free(mjcf_writer *w, const soa_link *link, const double *q, const double *v)
{
    const soa_pose pose = free_pose(w, link, q);
    double wxyz[4], linear[3];
    if (!v) {
        soa_pose_quaternion(&pose, wxyz);
        add_numbers(w, 3, pose.position);
        add_numbers(w, 4, wxyz);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double *r = pose.rotation[i];
        linear[i] = r[0] * v[3] + r[1] * v[4] + r[2] * v[5];
    }
    add_numbers(w, 3, linear);
    add_numbers(w, 3, v);
}

/* A ball turns the link in MuJoCo, with us the moving side of the joint: other axes of
 * the same turn. */
static void add_ball(mjcf_writer *w, const soa_link *link, const double *q, const double *v)
{
    const double *x = v ? v : q + 1;
    double turned[3];
    for (int i = 0; i < 3; i++) {
        turned[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            turned[i] += link->joint.child.rotation[j][i] * x[j];
        }
    }
    if (!v) {
        add_numbers(w, 1, q);
    }
    add_numbers(w, 3, turned);
}

static void write_state(mjcf_writer *w, const char *attribute, const double *q, const double *v)
{
    soa_text_add(w->text, " %s=\"", attribute);
    for (int i = 0; i < w->written; i++) {
        const soa_link *link = soa_model_link(w->model, w->order[i]);
        const soa_body body = link->joint.kind == SOA_FIXED
                                  ? (soa_body){ 0 }
                                  : soa_model_body(w->model, soa_model_link_body(w->model, w->order[i], NULL));
        if (link->joint.kind == SOA_FREE) {
            add_free(w, link, q + body.q, v ? v + body.v : NULL);
        } else if (link->joint.kind == SOA_SPHERICAL) {
            add_ball(w, link, q + body.q, v ? v + body.v : NULL);
        } else if (link->joint.kind != SOA_FIXED) {
            add_numbers(w, v ? body.nv : body.nq, v ? v + body.v : q + body.q);
        }
    }
    soa_text_add(w->text, "\"");
}

void soa_mjcf_write_keyframe(mjcf_writer *w)
{
    const int n = soa_model_configurations(w->model);
    soa_text_add(w->text, "%s", n > 0 ? "<keyframe>\n" : "");
    for (int i = 0; i < n; i++) {
        const soa_configuration *key = soa_model_configuration(w->model, i);
        soa_xml_write(w->text, "<key name=$s", key->name);
        write_state(w, "qpos", key->q, NULL);
        if (key->v) {
            write_state(w, "qvel", key->q, key->v);
        }
        soa_text_add(w->text, "/>\n");
    }
    soa_text_add(w->text, "%s", n > 0 ? "</keyframe>\n" : "");
}
