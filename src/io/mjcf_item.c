/* io/mjcf_item.c - the children of a body, <frame> elements around them resolved. */
#include "io/mjcf.h"

/* Where the children of an element are given. */
typedef struct place {
    bool world;
    soa_pose at;
    int class_index;
} place;

static void check_child(mjcf *m, bool world, const soa_xml *x)
{
    static const char known[] = "body inertial joint freejoint geom site camera light plugin ";
    if (soa_is_word_of(x->name, "composite flexcomp replicate attach ")) {
        soa_xml_fail(x, SOA_E_UNSUPPORTED,
            "this element makes bodies and is not supported; load the file in MuJoCo and save it, then load that");
    } else if (!soa_is_word_of(x->name, known)) {
        soa_xml_fail(x, SOA_E_SYNTAX, "unknown element in a body");
    } else if (world && soa_is_word_of(x->name, "inertial joint freejoint ")) {
        soa_xml_fail(x, SOA_E_SYNTAX, "the world has neither joints nor inertia; put it in a body");
    } else if (soa_xml_is(x, "plugin")) {
        soa_xml_count(&m->met[MJCF_PLUGIN], x);
    }
}

static void collect(mjcf *m, const place *p, const soa_xml *around, soa_array *items)
{
    for (soa_xml *x = around->child; x && soa_mjcf_ok(m); x = x->next) {
        const int own_class = soa_mjcf_class(m, x, "class", p->class_index);
        soa_mjcf_check_attributes(m, x);
        if (soa_xml_is(x, "frame")) {
            const soa_pose own = soa_mjcf_pose(m, x);
            const place inside = { p->world, soa_pose_compose(&p->at, &own),
                soa_mjcf_class(m, x, "childclass", p->class_index) };
            collect(m, &inside, x, items);
            continue;
        }
        check_child(m, p->world, x);
        soa_mjcf_dress(m, x, own_class);
        mjcf_item *item = soa_kit_push(&m->kit, items);
        if (item) {
            *item = (mjcf_item){ x, p->at, own_class };
        }
    }
}

void soa_mjcf_collect(mjcf *m, const soa_xml *body, bool world, int class_index, soa_array *items)
{
    const place p = { world, soa_pose_identity(), class_index };
    collect(m, &p, body, items);
}
