/* io/mjcf_write_joint.c - the joints of a body.
 *
 * A universal joint is two hinges, a cylindrical one a hinge and a slide, with
 * the same coordinates in the same order. */
#include <math.h>

#include "io/mjcf_write.h"

/* A joint of the model seen from the body that is written. */
typedef struct seen {
    const soa_joint *joint;
    int link;
    soa_pose at; /* the moving side of the joint in the frame of the body */
} seen;

static const double apart = 1e-13; /* of limits that are equal: MuJoCo wants the upper one above the lower one */

static void turn(const soa_pose *pose, const double v[3], double sign, double result[3])
{
    for (int i = 0; i < 3; i++) {
        const double *r = pose->rotation[i];
        result[i] = sign * (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
    }
}

static void write_if(mjcf_writer *w, const char *attribute, double value)
{
    if (value != 0.0) {
        soa_xml_write(w->text, " $t=$1", attribute, &value);
    }
}

static void write_range(mjcf_writer *w, double lower, double upper)
{
    const bool limited = isfinite(lower) || isfinite(upper);
    const double gap = lower == upper ? apart * (1.0 + fabs(lower)) : 0.0;
    const double range[2] = { isfinite(lower) ? lower - gap : -1e10, isfinite(upper) ? upper + gap : 1e10 };
    soa_xml_write(w->text, limited ? " limited=\"true\" range=$2" : " limited=\"false\"", range);
}

/* What ends every joint. */
static void write_passive(mjcf_writer *w, const soa_joint *joint)
{
    if (soa_joint_kind_nq(joint->kind) == 1) {
        write_if(w, "ref", joint->reference);
    }
    write_if(w, "armature", joint->rotor.armature);
    write_if(w, "damping", joint->damping);
    write_if(w, "frictionloss", joint->friction);
    if (joint->stiffness != 0.0) {
        write_if(w, "stiffness", joint->stiffness);
        write_if(w, "springref", joint->spring_reference);
    }
    soa_text_add(w->text, "/>\n");
}

static void begin(mjcf_writer *w, const seen *s, const char *type, bool named)
{
    char buffer[SOA_WRITTEN_NAME];
    soa_text_add(w->text, "<joint");
    if (named) {
        soa_xml_write(w->text, " name=$s", soa_mjcf_joint_name(w, s->link, buffer));
    }
    soa_xml_write(w->text, " type=$s", type);
}

/* One coordinate, number `which` of the joint. */
static void write_scalar(mjcf_writer *w, const seen *s, const char *type, const double axis[3], int which)
{
    double seen_axis[3];
    turn(&s->at, axis, s->joint->reversed ? -1.0 : 1.0, seen_axis);
    begin(w, s, type, which == 0);
    soa_xml_write(w->text, " pos=$3 axis=$3", s->at.position, seen_axis);
    write_range(w, s->joint->lower[which], s->joint->upper[which]);
    write_passive(w, s->joint);
}

static void write_ball(mjcf_writer *w, const seen *s)
{
    const double upper = s->joint->upper[0];
    begin(w, s, "ball", true);
    soa_xml_write(w->text, " pos=$3", s->at.position);
    write_range(w, isfinite(upper) ? 0.0 : -INFINITY, upper);
    write_passive(w, s->joint);
}

static void write_free(mjcf_writer *w, const seen *s)
{
    if (!soa_is_identity(&s->joint->child)) {
        soa_mjcf_refuse(w, "joint", s->joint->name, "is free, but not at the origin of its link");
    }
    begin(w, s, "free", true);
    write_range(w, -INFINITY, INFINITY);
    write_passive(w, s->joint);
}

static void check(mjcf_writer *w, const soa_joint *joint)
{
    const soa_rotor *r = &joint->rotor;
    if ((r->ratio != 0.0 && r->spin > 0.0) || r->mass > 0.0 || r->transverse > 0.0) {
        soa_mjcf_refuse(w, "joint", joint->name, "has a spinning rotor");
    }
    if (joint->reversed && soa_joint_kind_nv(joint->kind) > 1) {
        soa_mjcf_refuse(w, "joint", joint->name, "is reversed and has more than one degree of freedom");
    }
}

static void write_joint(mjcf_writer *w, const seen *s)
{
    const soa_joint *joint = s->joint;
    check(w, joint);
    switch (joint->kind) {
    case SOA_FIXED:
        break;
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
    case SOA_UNIVERSAL:
    case SOA_CYLINDRICAL:
        write_scalar(w, s, "hinge", joint->axis, 0);
        if (joint->kind == SOA_UNIVERSAL) {
            write_scalar(w, s, "hinge", joint->axis2, 1);
        } else if (joint->kind == SOA_CYLINDRICAL) {
            write_scalar(w, s, "slide", joint->axis, 1);
        }
        break;
    case SOA_PRISMATIC:
        write_scalar(w, s, "slide", joint->axis, 0);
        break;
    case SOA_SPHERICAL:
        write_ball(w, s);
        break;
    case SOA_FREE:
        write_free(w, s);
        break;
    default:
        soa_mjcf_refuse(w, "joint", joint->name, soa_joint_kind_text(joint->kind));
    }
}

/* From the topmost carrier down to the body itself. */
void soa_mjcf_write_joints(mjcf_writer *w, int link)
{
    enum { DEPTH_MOST = 6 };
    seen chain[DEPTH_MOST];
    int n = 0;
    soa_pose below = soa_pose_identity(); /* the body in the frame of the link at hand */
    for (int k = link; k == link || soa_mjcf_is_carrier(w, k);) {
        const soa_link *l = soa_model_link(w->model, k);
        const soa_pose from_joint = soa_pose_compose(&l->joint.child, &below);
        if (n == DEPTH_MOST) {
            soa_mjcf_refuse(w, "link", l->name, "more than 6 joints move one body");
            return;
        }
        chain[n++] = (seen){ &l->joint, k, soa_pose_inverse(&from_joint) };
        below = soa_pose_compose(&l->joint.at, &from_joint);
        k = l->parent;
    }
    while (n > 0) {
        write_joint(w, &chain[--n]);
    }
}
