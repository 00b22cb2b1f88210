/* io/mjcf_item.c - the children of a body, <frame> elements around them resolved. */
#include <string.h>

#include "core/error.h"
#include "io/mjcf.h"

/* Where the children of an element are given. */
typedef struct place {
    bool world;
    soa_pose at;
    int class_index;
} place;

static bool fail(mjcf *m, const soa_xml *x, soa_status status, const char *what)
{
    return soa_mjcf_ok(m, soa_xml_fail(x, status, m->error, "%s", what));
}

static bool is_one_of(const soa_xml *x, const char *const *names)
{
    while (*names && strcmp(x->name, *names) != 0) {
        names++;
    }
    return *names != NULL;
}

static bool check_child(mjcf *m, bool world, const soa_xml *x)
{
    static const char *const known[] = { "body", "inertial", "joint", "freejoint", "geom", "site", "camera", "light",
        "plugin", NULL };
    static const char *const makers[] = { "composite", "flexcomp", "replicate", "attach", NULL };
    static const char *const movers[] = { "inertial", "joint", "freejoint", NULL };
    if (is_one_of(x, makers)) {
        return fail(m, x, SOA_E_UNSUPPORTED,
            "this element makes bodies and is not supported; load the file in MuJoCo and save it, then load that");
    }
    if (!is_one_of(x, known)) {
        return fail(m, x, SOA_E_SYNTAX, "unknown element in a body");
    }
    if (world && is_one_of(x, movers)) {
        return fail(m, x, SOA_E_SYNTAX, "the world has neither joints nor inertia; put it in a body");
    }
    if (strcmp(x->name, "plugin") == 0) {
        soa_mjcf_count(&m->plugin, x);
    }
    return true;
}

static bool collect(mjcf *m, const place *p, const soa_xml *around, soa_array *items);

static bool collect_frame(mjcf *m, const place *around, const soa_xml *frame, soa_array *items)
{
    const mjcf_layer view = soa_mjcf_plain(frame);
    place p = *around;
    soa_pose own;
    if (!soa_mjcf_pose(m, &view, &own) ||
        !soa_mjcf_class(m, frame, "childclass", around->class_index, &p.class_index)) {
        return false;
    }
    p.at = soa_pose_compose(&around->at, &own);
    return collect(m, &p, frame, items);
}

static bool collect(mjcf *m, const place *p, const soa_xml *around, soa_array *items)
{
    for (const soa_xml *x = around->child; x; x = x->next) {
        int own_class = 0;
        if (!soa_mjcf_class(m, x, "class", p->class_index, &own_class)) {
            return false;
        }
        soa_mjcf_check_attributes(m, x);
        if (strcmp(x->name, "frame") == 0) {
            if (!collect_frame(m, p, x, items)) {
                return false;
            }
            continue;
        }
        if (!check_child(m, p->world, x)) {
            return false;
        }
        mjcf_item *item = soa_array_push(items, m->allocator);
        if (!item) {
            return soa_mjcf_ok(m, soa_fail_memory(m->error));
        }
        *item = (mjcf_item){ x, p->at, own_class };
    }
    return true;
}

bool soa_mjcf_collect(mjcf *m, const soa_xml *body, bool world, int class_index, soa_array *items)
{
    const place p = { world, soa_pose_identity(), class_index };
    return collect(m, &p, body, items);
}
