/* model/order.c - like joints side by side, for sweeps over a large model.
 *
 * Where joints of many kinds follow one another at random, the processor cannot foretell
 * which way a sweep takes at the next body, and a large model is too much for it to
 * remember: each joint then costs several wrong guesses. What a sweep does at a joint alone
 * it can do in this order instead: the bodies of a block sorted by the kinds of their joints. */
#include "core/error.h"
#include "model/model.h"

/* Revolute and continuous joints are the same to the kernels. */
static int sort_of(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_REVOLUTE ? SOA_REVOLUTE : body->kind;
}

static bool is_mixed(const soa_model *m)
{
    int changes = 0;
    for (int k = 1; k < m->bodies; k++) {
        changes += sort_of(&m->body[k]) != sort_of(&m->body[k - 1]);
    }
    return changes > m->bodies / 8;
}

/* Bodies first .. end - 1 into order[first] .. order[end - 1]. */
static void order_block(soa_model *m, int first, int end)
{
    int place[SOA_JOINT_KINDS + 2] = { 0 };
    for (int k = first; k < end; k++) {
        place[sort_of(&m->body[k]) + 1]++;
    }
    for (int sort = 0; sort <= SOA_JOINT_KINDS; sort++) {
        place[sort + 1] += place[sort];
    }
    for (int k = first; k < end; k++) {
        m->order[first + place[sort_of(&m->body[k])]++] = k;
    }
}

soa_status soa_make_order(soa_model *m, soa_error *error)
{
    if (m->bodies <= SOA_LARGE_BODIES || !is_mixed(m)) {
        return SOA_OK;
    }
    m->order = soa_arena_take(&m->arena, (size_t)m->bodies, sizeof *m->order);
    if (!m->order) {
        return soa_fail_memory(error);
    }
    for (int first = 0; first < m->bodies; first += SOA_BLOCK_BODIES) {
        const int left = m->bodies - first;
        order_block(m, first, first + (left < SOA_BLOCK_BODIES ? left : SOA_BLOCK_BODIES));
    }
    return SOA_OK;
}
