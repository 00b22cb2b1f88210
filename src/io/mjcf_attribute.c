/* io/mjcf_attribute.c - attributes nobody knows: misspelt, or newer than this reader. */
#include <string.h>

#include "io/mjcf.h"

#define PLACE "name pos quat axisangle xyaxes zaxis euler class "

/* Every attribute MuJoCo 3 knows, between spaces. */
static const struct {
    const char *element;
    const char *attributes;
} known[] = {
    { "body", PLACE "childclass mocap gravcomp sleep simple user " },
    { "frame", PLACE "childclass " },
    { "inertial", PLACE "mass diaginertia fullinertia " },
    { "freejoint", "name group align " },
    { "joint", "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit "
               "solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref "
               "armature damping frictionloss user " },
    { "geom", PLACE "type contype conaffinity condim group priority size material friction mass density shellinertia "
                    "solmix solref solimp margin gap surfacevel adhesion fromto hfield mesh fitscale rgba fluidshape "
                    "fluidcoef user " },
    { "site", PLACE "type group material size fromto rgba user " },
};

static bool is_known(const char *attributes, const char *name)
{
    const size_t n = strlen(name);
    for (const char *s = attributes; *s; s += strcspn(s, " ") + 1) {
        if (strncmp(s, name, n) == 0 && s[n] == ' ') {
            return true;
        }
    }
    return false;
}

void soa_mjcf_check_attributes(mjcf *m, const soa_xml *x)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(x->name, known[i].element) != 0) {
            continue;
        }
        for (int j = 0; j < x->attributes; j++) {
            if (!is_known(known[i].attributes, x->attribute[j].name)) {
                m->stranger = m->strangers.count == 0 ? x->attribute[j].name : m->stranger;
                soa_mjcf_count(&m->strangers, x);
            }
        }
        return;
    }
}
