/* tests/house/odd_models.h - models at the edge of what is allowed. */
#ifndef SOA_TESTS_HOUSE_ODD_MODELS_H
#define SOA_TESTS_HOUSE_ODD_MODELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "soa/soa.h"

/* No body at all, all joints fixed, a leaf without mass, a chain, links that bend, then every joint kind alone (the free base is one of them). */
enum {
    ODD_EMPTY,
    ODD_FIXED,
    ODD_MASSLESS,
    ODD_CHAIN,
    ODD_FLEXIBLE,
    ODD_KINDS,
    ODD_MODELS = ODD_KINDS + SOA_JOINT_KINDS
};

static inline void odd_link(soa_builder *b, const char *name, int parent, soa_joint_kind kind, double mass)
{
    soa_error error;
    soa_link link = soa_link_default(name, parent, kind);
    link.joint.name = name;
    link.joint.axis2[0] = 1.0, link.joint.axis2[2] = 0.0;
    link.joint.pitch = kind == SOA_HELICAL ? 0.1 : 0.0;
    link.joint.at.position[0] = 0.3;
    link.inertia = (soa_inertia){ mass, { 0.1, 0.02, 0.03 }, { mass, 0.0, 0.0, mass, 0.0, mass } };
    if (soa_builder_add_link(b, &link, NULL, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
}

static inline void odd_name(int number, char name[64])
{
    static const char *const names[] = { "no body", "all joints fixed", "a leaf without mass", "a chain",
        "flexible links" };
    (void)snprintf(
        name, 64, "%s", number < ODD_KINDS ? names[number] : soa_joint_kind_text((soa_joint_kind)(number - ODD_KINDS)));
}

static inline soa_model *odd_model(int number)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_error error;
    const double g[3] = { 0.0, 0.0, -9.81 };
    if (number == ODD_FLEXIBLE) {
        soa_builder_free(b);
        assert_int_equal(soa_model_builtin("flexible-chain:2,2", NULL, &model, NULL), SOA_OK);
        return model;
    }
    soa_builder_set_gravity(b, g);
    if (number == ODD_EMPTY) {
        odd_link(b, "ground", SOA_WORLD, SOA_FIXED, 0.0);
    } else if (number == ODD_FIXED) {
        odd_link(b, "base", SOA_WORLD, SOA_FIXED, 1.0);
        odd_link(b, "welded", 0, SOA_FIXED, 1.0);
    } else if (number == ODD_MASSLESS) {
        odd_link(b, "arm", SOA_WORLD, SOA_REVOLUTE, 1.0);
        odd_link(b, "leaf", 0, SOA_REVOLUTE, 0.0);
    } else if (number == ODD_CHAIN) {
        odd_link(b, "trunk", SOA_WORLD, SOA_FREE, 1.0);
        odd_link(b, "ball", 0, SOA_SPHERICAL, 1.0);
        odd_link(b, "tip", 1, SOA_REVOLUTE, 1.0);
    } else if (number >= ODD_KINDS) {
        odd_link(b, "body", SOA_WORLD, (soa_joint_kind)(number - ODD_KINDS), 1.0);
    }
    const soa_status status = soa_builder_finish(b, &model, &error);
    if (status != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(b);
    return model;
}

#endif
