/* A model of two links, each with mass. */
#ifndef SOA_TESTS_TWO_LINKS_H
#define SOA_TESTS_TWO_LINKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "counting.h"
#include "soa/model.h"

/* Two links: base (2 kg, revolute "shoulder") and arm on it (1 kg, revolute "elbow"). */
typedef struct two {
    soa_link base, arm;
} two;

static inline soa_link heavy(const char *name, int parent, const char *joint)
{
    soa_link link = soa_link_default(name, parent, SOA_REVOLUTE);
    link.joint.name = joint;
    link.inertia = (soa_inertia){ 2.0, { 0.1, 0.0, 0.2 }, { 0.02, 0.0, 0.0, 0.03, 0.0, 0.025 } };
    link.source = (soa_source){ "two.txt", 10 };
    link.joint.source = (soa_source){ "two.txt", 11 };
    return link;
}

static inline two two_links(void)
{
    return (two){ heavy("base", SOA_WORLD, "shoulder"), heavy("arm", 0, "elbow") };
}

#endif
