/* io/yaml_write_joint.c - a joint as a flow mapping of native YAML. */
#include <math.h>
#include <string.h>

#include "io/yaml_flow.h"

static void limits(soa_yaml_flow *f, const char *name, const double *x, const double *usual, int nv)
{
    if (soa_same_bits(x, usual, nv)) {
        return;
    }
    soa_flow_key(f, name);
    soa_text_add(f->text, "%s", nv > 1 ? "[" : "");
    for (int i = 0; i < nv; i++) {
        soa_text_add(f->text, "%s", i > 0 ? ", " : "");
        if (isfinite(x[i])) {
            soa_text_number(f->text, x[i]);
        } else {
            soa_text_add(f->text, "none");
        }
    }
    soa_text_add(f->text, "%s", nv > 1 ? "]" : "");
}

static void rotor(soa_yaml_flow *f, const soa_rotor *r, const soa_rotor *usual)
{
    if (memcmp(r, usual, sizeof *r) == 0) {
        return;
    }
    soa_flow_key(f, "rotor");
    soa_flow_begin(f);
    soa_flow_key_numbers(f, "armature", &r->armature, &usual->armature, 1);
    soa_flow_key_numbers(f, "ratio", &r->ratio, &usual->ratio, 1);
    soa_flow_key_numbers(f, "axis", r->axis, usual->axis, 3);
    soa_flow_key_numbers(f, "spin", &r->spin, &usual->spin, 1);
    soa_flow_key_numbers(f, "transverse", &r->transverse, &usual->transverse, 1);
    soa_flow_key_numbers(f, "mass", &r->mass, &usual->mass, 1);
    soa_flow_key_numbers(f, "com", r->com, usual->com, 3);
    soa_flow_end(f);
}

void soa_flow_joint(soa_yaml_flow *f, const soa_joint *j, int node)
{
    const soa_joint usual = soa_joint_default(NULL, j->kind);
    const int nq = soa_joint_kind_nq(j->kind), nv = soa_joint_kind_nv(j->kind);
    soa_flow_begin(f);
    soa_flow_key_word(f, "name", j->name);
    soa_flow_key_word(f, "type", soa_joint_kind_text(j->kind));
    soa_flow_key_numbers(f, "axis", j->axis, usual.axis, 3);
    soa_flow_key_numbers(f, "axis2", j->axis2, usual.axis2, 3);
    soa_flow_key_numbers(f, "pitch", &j->pitch, &usual.pitch, 1);
    soa_flow_key_node(f, "node", node);
    soa_flow_key_pose(f, "at", &j->at);
    soa_flow_key_pose(f, "child", &j->child);
    soa_flow_key_numbers(f, "reference", &j->reference, &usual.reference, 1);
    if (nq > 1) {
        soa_flow_key_numbers(f, "neutral", j->neutral, usual.neutral, nq);
    }
    soa_flow_key_true(f, "reversed", j->reversed);
    limits(f, "lower", j->lower, usual.lower, nv);
    limits(f, "upper", j->upper, usual.upper, nv);
    limits(f, "velocity", j->velocity, usual.velocity, nv);
    limits(f, "effort", j->effort, usual.effort, nv);
    soa_flow_key_numbers(f, "damping", &j->damping, &usual.damping, 1);
    soa_flow_key_numbers(f, "friction", &j->friction, &usual.friction, 1);
    soa_flow_key_numbers(f, "stiffness", &j->stiffness, &usual.stiffness, 1);
    soa_flow_key_numbers(f, "spring_reference", &j->spring_reference, &usual.spring_reference, 1);
    rotor(f, &j->rotor, &usual.rotor);
    soa_flow_end(f);
}
