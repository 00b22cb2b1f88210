/* io/scenario_attach.c - events that attach and detach closures: those that contradict what is so already are refused. */
#include "io/scenario.h"

static bool attaches(const soa_event *e)
{
    return e->action == SOA_ACTION_ATTACH || e->action == SOA_ACTION_ENABLE_CLOSURE;
}

/* Whether an event attaches (or detaches) the closure. */
static bool any_event(const soa_scenario *s, int closure, bool attach)
{
    bool any = false;
    for (int i = 0; i < s->setup.events; i++) {
        const soa_event *e = &s->setup.event[i];
        any = any || (e->target == closure && (attach ? attaches(e) : e->action == SOA_ACTION_DETACH));
    }
    return any;
}

/* Whether a configuration satisfies the closure together with those that are active from the start and stay so. */
static bool can_be_met(const soa_scenario *s, soa_closures *set, int closure)
{
    soa_redundancy found;
    for (int i = 0; i < soa_closures_count(set); i++) {
        const soa_closure *c = soa_closure_get(set, i);
        const bool on = i == closure || !c || (!c->inactive && !any_event(s, i, false));
        (void)soa_closure_enable(set, i, on, NULL);
    }
    return soa_closures_redundancy(set, &found, NULL) != SOA_OK || !found.unmet;
}

static void check_event(const soa_scenario *s, soa_closures *set, const soa_event *e, const soa_yaml *node)
{
    const soa_closure *c = soa_closure_get(set, e->target);
    const char *name = c && c->name ? c->name : "";
    if (c && attaches(e) && !c->inactive && !any_event(s, e->target, false)) {
        soa_yaml_fail(node, SOA_E_CLOSURE,
            "closure '%.80s' is active already and no event detaches it; write 'inactive: true' in the model, or "
            "detach it",
            name);
    } else if (c && e->action == SOA_ACTION_DETACH && c->inactive && !any_event(s, e->target, true)) {
        soa_yaml_fail(node, SOA_E_CLOSURE,
            "closure '%.80s' is inactive and no event attaches it; take the event out, or attach it before", name);
    } else if (c && e->action == SOA_ACTION_ENABLE_CLOSURE && !can_be_met(s, set, e->target)) {
        soa_yaml_fail(node, SOA_E_CLOSURE,
            "closure '%.80s' contradicts those that are active: nothing satisfies all of them; look at its frames, or "
            "detach the others first",
            name);
    }
}

void soa_scenario_check_attach(const soa_scenario *scenario, const soa_yaml *root)
{
    const soa_yaml *list = soa_yaml_get(root, "events");
    soa_closures *set = NULL;
    int i = 0;
    for (const soa_yaml *n = list ? list->child : NULL; n && soa_yaml_ok(n) && !scenario->setup.open;
         n = n->next, i++) {
        const soa_event *e = &scenario->setup.event[i];
        if (!attaches(e) && e->action != SOA_ACTION_DETACH) {
            continue;
        }
        if (!set) {
            soa_yaml_step(n, soa_closures_new(1, (const soa_model *const *)&scenario->model, NULL, &scenario->allocator,
                                 &set, soa_yaml_error(n)));
        }
        if (set) {
            check_event(scenario, set, e, n);
        }
    }
    soa_closures_free(set);
}
