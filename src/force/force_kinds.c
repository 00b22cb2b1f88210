/* force/force_kinds.c - kinds of force elements, numbers over time, and what the joints of a model describe. */
#include <math.h>

#include "core/kind_words.h"
#include "force/force_set.h"

/* ---- kinds ------------------------------------------------------------------------------ */

SOA_WORDS(soa_force_kind, soa_force_kind, SOA_FORCE_KINDS, SOA_FORCE_LIST, "unknown")
SOA_COLUMN(bool, soa_force_kind_at_joint, soa_force_kind, SOA_FORCE_KINDS, SOA_FORCE_LIST, SOA_THIRD, false)
SOA_COLUMN(bool, soa_force_kind_pair, soa_force_kind, SOA_FORCE_KINDS, SOA_FORCE_LIST, SOA_FOURTH, false)
SOA_COLUMN(const char *, soa_force_kind_meaning, soa_force_kind, SOA_FORCE_KINDS, SOA_FORCE_LIST, SOA_FIFTH, "")

soa_force soa_force_default(const char *name, soa_force_kind kind)
{
    return (soa_force){ .name = name,
        .kind = kind,
        .a = { SOA_WORLD, soa_pose_identity() },
        .b = { SOA_WORLD, soa_pose_identity() },
        .link = SOA_WORLD,
        .shape = SOA_SHAPE_SPHERE,
        .speed = 1e-3,
        .exponent = 1.5,
        .lower = -HUGE_VAL,
        .upper = HUGE_VAL,
        .from = -HUGE_VAL,
        .to = HUGE_VAL };
}

double soa_series_at(const soa_series *series, double t)
{
    const double *x = series->x, *s = series->t;
    int low = 0, high = series->count - 1;
    if (!(t > s[low])) {
        return x[low];
    }
    if (!(t < s[high])) {
        return x[high];
    }
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(t < s[middle] ? &high : &low) = middle;
    }
    return x[low] + (x[high] - x[low]) * ((t - s[low]) / (s[high] - s[low]));
}

/* ---- what the joints of a model describe --------------------------------------------------- */

int soa_forces_of_model(const soa_model *model, int room, soa_force *force)
{
    int count = 0;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        const int link = body.link;
        if (body.flexible) {
            if (body.nv > 0 && count < room) {
                force[count] = soa_force_default(soa_model_link(model, link)->name, SOA_FORCE_ELASTIC);
                force[count].link = link;
            }
            count += body.nv > 0;
            continue;
        }
        const soa_joint *joint = &soa_model_link(model, link)->joint;
        const double number[] = { joint->stiffness, joint->damping, joint->friction };
        for (int i = 0; i < 3; i++) {
            if (number[i] == 0.0) {
                continue;
            }
            if (count < room) {
                soa_force *e = &force[count];
                *e = soa_force_default(joint->name, (soa_force_kind)(SOA_FORCE_JOINT_SPRING + i));
                e->link = link;
                e->reference = joint->spring_reference;
                *(i == 0 ? &e->stiffness : i == 1 ? &e->damping : &e->value) = number[i];
            }
            count++;
        }
    }
    return count;
}
