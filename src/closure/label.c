/* closure/label.c - closures by their numbers and names, and in messages: by their names, or by what they join. */
#include <stdio.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "model/model.h"

soa_tie *soa_tie_at(const soa_closures *set, int closure)
{
    return set && closure >= 0 && closure < set->ties && set->tie[closure].used ? &set->tie[closure] : NULL;
}

bool soa_closure_enabled(const soa_closures *set, int closure)
{
    const soa_tie *tie = soa_tie_at(set, closure);
    return tie && tie->enabled;
}

const soa_closure *soa_closure_get(const soa_closures *set, int closure)
{
    const soa_tie *tie = soa_tie_at(set, closure);
    return tie && !tie->coupling ? &tie->closure : NULL;
}

const char *soa_closure_name(const soa_closures *set, int closure)
{
    const soa_tie *tie = soa_tie_at(set, closure);
    const char *name = !tie ? NULL : tie->coupling ? tie->joint.name : tie->closure.name;
    return name ? name : "";
}

int soa_closure_find(const soa_closures *set, const char *name)
{
    for (int i = 0; set && name && i < set->ties; i++) {
        if (set->tie[i].used && strcmp(soa_closure_name(set, i), name) == 0) {
            return i;
        }
    }
    return SOA_NONE;
}

int soa_closure_rows(const soa_closures *set, int closure)
{
    const soa_tie *tie = soa_tie_at(set, closure);
    return tie && tie->enabled ? tie->rows : 0;
}

int soa_closure_first_row(const soa_closures *set, int closure)
{
    const soa_tie *tie = soa_tie_at(set, closure);
    return tie && tie->enabled ? tie->first : -1;
}

/* ---- messages -------------------------------------------------------------------------------- */

static const char *link_name(const soa_closures *set, int system, int link)
{
    const soa_model *m = set->part[system].model;
    return link == SOA_WORLD ? "world" : soa_description_link(&m->description, link)->name;
}

const char *soa_closure_label(const soa_closures *set, int closure, char *text, size_t size)
{
    const char *name = soa_closure_name(set, closure);
    const soa_tie *tie = &set->tie[closure];
    if (name[0] != '\0') {
        (void)snprintf(text, size, "%s", name);
    } else {
        (void)snprintf(text, size, "%s - %s",
            link_name(set, tie->end[0].system, tie->coupling ? tie->joint.link : tie->closure.a),
            link_name(set, tie->end[1].system, tie->coupling ? tie->joint.driver : tie->closure.b));
    }
    return text;
}

int soa_list_closures(const soa_closures *set, const bool *marked, char *text, size_t size)
{
    size_t used = 0;
    int count = 0, left = 0, last = -1;
    text[0] = '\0';
    for (int i = 0; i < set->rows; i++) {
        const int tie = set->row[i].tie;
        char label[SOA_CLOSURE_LABEL];
        if (!marked[i] || tie == last) {
            continue;
        }
        last = tie;
        count++;
        if (used + strlen(soa_closure_label(set, tie, label, sizeof label)) + 24 > size) {
            left++;
            continue;
        }
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", used > 0 ? ", " : "", label);
    }
    if (left > 0) {
        (void)snprintf(text + used, size - used, " and %d more", left);
    }
    return count;
}

soa_status soa_fail_room(const soa_closures *set, const char *what, soa_error *error)
{
    return soa_fail(error, SOA_E_LIMIT, -1,
        "%s: more than the %zu bytes that there are; give soa_closures_new more in room.bytes", what, set->stack.size);
}

soa_status soa_fail_contradiction(const soa_closures *set, soa_error *error)
{
    char text[SOA_ERROR_TEXT - 160];
    if (soa_list_closures(set, set->last.contrary, text, sizeof text) == 1) {
        return soa_fail(error, SOA_E_CLOSURE, -1,
            "closure %s asks for accelerations that cannot be had, by %.3g; take it out, or project q and v first",
            text, set->last.inconsistency);
    }
    return soa_fail(error, SOA_E_CLOSURE, -1,
        "the accelerations of closures %s contradict each other by %.3g; take one out, or project q and v first", text,
        set->last.inconsistency);
}

soa_status soa_fail_undecided(const soa_closures *set, soa_error *error)
{
    return soa_fail(error, SOA_E_CLOSURE, -1,
        "whether the rows of closures %s depend on each other is not clear: they are too rounded; give more digits, "
        "kinds without the redundant rows, or a tolerance of the rank",
        set->ranks.found.nearly);
}
