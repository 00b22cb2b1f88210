/* tests/io/urdf_texts.h - small URDF texts and how to load them. */
#ifndef SOA_TESTS_IO_URDF_TEXTS_H
#define SOA_TESTS_IO_URDF_TEXTS_H

#include <string.h>

#include "soa/io.h"

#define ROBOT(inside)     "<robot name='r'>\n" inside "</robot>\n"
#define LINK(name)        "<link name='" name "'/>\n"
#define BODY(name, given) "<link name='" name "'>\n<inertial>\n" given "</inertial></link>\n"
#define SOLID             "<mass value='1'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>\n"
#define ENDS(a, b)        "<parent link='" a "'/><child link='" b "'/>\n"
#define LIMITS            "<limit lower='-1' upper='2' effort='3' velocity='4'/>\n"
/* One line, then the lines inside. */
#define JOINT(name, type, a, b, inside) "<joint name='" name "' type='" type "'>" ENDS(a, b) inside "</joint>\n"

static inline soa_status load_urdf(const char *text, soa_model **model, soa_error *error)
{
    return soa_load_text(SOA_URDF, text, strlen(text), "r.urdf", NULL, model, error);
}

#endif
