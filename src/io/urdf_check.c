/* io/urdf_check.c - whether URDF can say what a model is.
 *
 * Everything that changes the motion must be said or refused. Neutral and named
 * configurations do not, and are left out. */
#include "io/urdf_write.h"

#include <math.h>
#include <stdio.h>

#include "core/error.h"

static soa_status refuse(soa_error *error, const char *item, const char *name, const char *reason)
{
    return soa_fail(error, SOA_E_UNSUPPORTED, -1,
        "URDF cannot say this: %s '%.60s': %s; write YAML, which says everything", item, name ? name : "", reason);
}

static bool is_sayable(soa_joint_kind kind)
{
    return kind == SOA_FIXED || kind == SOA_REVOLUTE || kind == SOA_CONTINUOUS || kind == SOA_PRISMATIC ||
           kind == SOA_PLANAR || kind == SOA_FREE;
}

static bool has_limits(const soa_joint *joint)
{
    for (int i = 0; i < soa_joint_kind_nv(joint->kind); i++) {
        if (isfinite(joint->lower[i]) || isfinite(joint->upper[i]) || isfinite(joint->velocity[i]) ||
            isfinite(joint->effort[i])) {
            return true;
        }
    }
    return false;
}

/* Why URDF cannot say the joint; NULL if it can. */
static const char *joint_reason(const soa_joint *joint)
{
    const soa_rotor *rotor = &joint->rotor;
    const bool several = soa_joint_kind_nv(joint->kind) > 1;
    if (several && joint->reversed) {
        return "a reversed joint with several coordinates";
    }
    if (several && has_limits(joint)) {
        return "limits of a joint with several coordinates";
    }
    if (joint->damping < 0.0 || joint->friction < 0.0) {
        return "damping or friction below zero";
    }
    if (joint->stiffness != 0.0) {
        return "a spring (stiffness)";
    }
    if (rotor->armature != 0.0 || rotor->spin != 0.0 || rotor->transverse != 0.0 || rotor->mass != 0.0) {
        return "the inertia of its motor (armature, rotor)";
    }
    return NULL;
}

static soa_status check_link(const soa_model *model, int link, soa_error *error)
{
    const soa_link *l = soa_model_link(model, link);
    const char *name = l->joint.name ? l->joint.name : l->name;
    if (!is_sayable(l->joint.kind)) {
        char reason[80];
        snprintf(reason, sizeof reason, "a joint of kind %s", soa_joint_kind_text(l->joint.kind));
        return refuse(error, "joint", name, reason);
    }
    const char *reason = joint_reason(&l->joint);
    return reason ? refuse(error, "joint", name, reason) : SOA_OK;
}

static soa_status check_coupling(const soa_model *model, int number, soa_error *error)
{
    const soa_coupling *coupling = soa_model_coupling(model, number);
    const soa_link *link = soa_model_link(model, coupling->link);
    const char *name = link->joint.name ? link->joint.name : link->name;
    if (coupling->driver < 0) {
        return refuse(error, "joint", name, "a joint held at a constant coordinate");
    }
    for (int i = 2; i < SOA_COUPLING_TERMS; i++) {
        if (coupling->coefficient[i] != 0.0) {
            return refuse(error, "joint", name, "a coupling by a polynomial; only linear ones can be mimicked");
        }
    }
    return SOA_OK;
}

/* URDF has no gravity: whoever reads it takes that of the Earth, along -z. */
static soa_status check_gravity(const soa_model *model, soa_error *error)
{
    const double usual = -9.81;
    double gravity[3];
    soa_model_gravity(model, gravity);
    if (gravity[0] == 0.0 && gravity[1] == 0.0 && gravity[2] == usual) {
        return SOA_OK;
    }
    return refuse(error, "model", soa_model_name(model), "a gravity other than 0 0 -9.81");
}

soa_status soa_urdf_check(const soa_model *model, soa_error *error)
{
    soa_status status = check_gravity(model, error);
    for (int k = 0; k < soa_model_links(model) && status == SOA_OK; k++) {
        status = check_link(model, k, error);
    }
    for (int k = 0; k < soa_model_couplings(model) && status == SOA_OK; k++) {
        status = check_coupling(model, k, error);
    }
    for (int k = 0; k < soa_model_frames(model) && status == SOA_OK; k++) {
        const char *name = soa_model_frame(model, k)->name;
        if (soa_model_find_link(model, name) >= 0) {
            status = refuse(error, "frame", name, "a frame with the name of a link; rename it");
        }
    }
    if (status == SOA_OK && soa_model_closures(model) > 0) {
        status = refuse(error, "closure", soa_model_closure(model, 0)->name, "a loop closure");
    }
    return status;
}
