/* io/write.c - poses and names for the writers of URDF and MJCF. */
#include "io/write.h"

#include <stdio.h>
#include <string.h>

bool soa_is_identity(const soa_pose *pose)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (pose->rotation[i][j] != (i == j)) {
                return false;
            }
        }
        if (pose->position[i] != 0.0) {
            return false;
        }
    }
    return true;
}

soa_pose soa_compose_exactly(const soa_pose *outer, const soa_pose *inner)
{
    return soa_is_identity(outer) ? *inner : soa_is_identity(inner) ? *outer : soa_pose_compose(outer, inner);
}

const char *soa_free_name(
    const soa_model *model, soa_finder *find, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME])
{
    int length = snprintf(buffer, SOA_WRITTEN_NAME, "%s%s", first, ending);
    for (; length + 1 < SOA_WRITTEN_NAME && find(model, buffer) >= 0; length++) {
        memcpy(buffer + length, "_", sizeof "_");
    }
    return buffer;
}

const char *soa_written_joint(const soa_model *model, int link, const char *ending, char buffer[SOA_WRITTEN_NAME])
{
    const soa_link *l = soa_model_link(model, link);
    return l->joint.name ? l->joint.name : soa_free_name(model, soa_model_find_joint, l->name, ending, buffer);
}

void soa_by_link_make(soa_by_link *by, const soa_model *model, const soa_array *items, size_t link, soa_arena *arena,
    soa_outcome *outcome)
{
    const int links = soa_model_links(model);
    by->first = soa_arena_take(arena, (size_t)links + 1 + (size_t)items->count, sizeof *by->first);
    if (!soa_got(outcome, by->first)) {
        return;
    }
    by->next = by->first + links + 1;
    for (int i = 0; i <= links; i++) {
        by->first[i] = -1;
    }
    for (int i = items->count - 1; i >= 0; i--) {
        const int of = *(const int *)(const void *)((const char *)soa_array_at(items, i) + link);
        const int place = of == SOA_WORLD ? links : of;
        by->next[i] = by->first[place];
        by->first[place] = i;
    }
}
