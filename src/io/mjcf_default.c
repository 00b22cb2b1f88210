/* io/mjcf_default.c - default classes, and attributes nobody knows.
 *
 * A class inherits from the class around it what that one says at this point of
 * the document, so each class is a list of elements, newest first, that goes on
 * with the list of its parent. */
#include "io/mjcf.h"

enum { LAYERS_MOST = 1000 };

/* The elements of a default class that concern the dynamics. */
static int kind_of(const char *name)
{
    static const char *const names[MJCF_KINDS] = { "joint", "geom", "site", "mesh", "equality" };
    int kind = MJCF_KINDS - 1;
    while (kind >= 0 && strcmp(name, names[kind]) != 0) {
        kind--;
    }
    return kind;
}

static void add_layer(mjcf *m, int class_index, int kind, soa_xml *element)
{
    mjcf_class *class = soa_array_at(&m->classes, class_index);
    element->older = class->newest[kind];
    class->newest[kind] = element;
    if (++class->layers > LAYERS_MOST) {
        soa_xml_fail(element, SOA_E_LIMIT, "a default class is made of more than %d elements", LAYERS_MOST);
    }
}

/* A class like its parent (-1: none), or the top one by another name. */
static int add_class(mjcf *m, const soa_xml *section, int parent)
{
    const char *name = soa_xml_get(section, "class");
    const int index = parent < 0 ? 0 : m->classes.count;
    if (parent >= 0 && (!name || !name[0])) {
        soa_xml_fail(section, SOA_E_NAME, "a nested default needs a class name");
    } else if (parent >= 0 && soa_names_find(&m->class_names, name) >= 0) {
        soa_xml_fail(section, SOA_E_NAME, "default class \"%.100s\" is defined twice", name);
    } else if (name) {
        soa_kit_index(&m->kit, &m->class_names, name, index);
    }
    mjcf_class *class = parent >= 0 ? soa_kit_push(&m->kit, &m->classes) : NULL;
    if (class) {
        *class = *(const mjcf_class *)soa_array_at(&m->classes, parent);
    }
    return soa_mjcf_ok(m) ? index : 0;
}

static void read_class(mjcf *m, soa_xml *section, int parent)
{
    const int index = add_class(m, section, parent);
    for (soa_xml *x = section->child; x && soa_mjcf_ok(m); x = x->next) {
        const int kind = kind_of(x->name);
        soa_mjcf_check_attributes(m, x);
        if (kind >= 0) {
            add_layer(m, index, kind, x);
        }
    }
    for (soa_xml *x = soa_xml_child(section, "default"); x && soa_mjcf_ok(m); x = soa_xml_next(x, "default")) {
        read_class(m, x, index);
    }
}

void soa_mjcf_read_default(mjcf *m, soa_xml *section)
{
    read_class(m, section, -1);
}

int soa_mjcf_class(mjcf *m, const soa_xml *element, const char *attribute, int usual)
{
    const char *name = soa_xml_get(element, attribute);
    const int found = name ? soa_names_find(&m->class_names, name) : usual;
    if (found < 0) {
        soa_xml_fail(element, SOA_E_NAME, "unknown default class \"%.100s\" in %s", name, attribute);
    }
    return found < 0 ? 0 : found;
}

void soa_mjcf_dress(mjcf *m, soa_xml *element, int class_index)
{
    const mjcf_class *class = soa_array_at(&m->classes, class_index);
    const bool equality = soa_xml_is(element->parent, "equality");
    const int kind = equality ? MJCF_EQUALITY : kind_of(element->name);
    element->older = kind >= 0 ? class->newest[kind] : NULL;
}

/* ---- attributes that are misspelt, or newer than this reader ------------------------------- */

#define PLACE "name pos quat axisangle xyaxes zaxis euler class "

void soa_mjcf_check_attributes(mjcf *m, const soa_xml *x)
{
    static const soa_xml_known known[] = {
        /* every attribute MuJoCo 3 knows */
        { "body", PLACE "childclass mocap gravcomp sleep simple user " },
        { "frame", PLACE "childclass " },
        { "inertial", PLACE "mass diaginertia fullinertia " },
        { "freejoint", "name group align " },
        { "joint",
            "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit "
            "solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref "
            "armature damping frictionloss user " },
        { "geom",
            PLACE "type contype conaffinity condim group priority size material friction mass density shellinertia "
                  "solmix solref solimp margin gap surfacevel adhesion fromto hfield mesh fitscale rgba fluidshape "
                  "fluidcoef user " },
        { "site", PLACE "type group material size fromto rgba user " },
        { NULL, NULL },
    };
    soa_xml_strangers(x, known, false, &m->met[MJCF_STRANGER]);
}
