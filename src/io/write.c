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

typedef int finder(const soa_model *model, const char *name);

static const char *free_name(
    const soa_model *model, finder *find, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME])
{
    int length = snprintf(buffer, SOA_WRITTEN_NAME, "%s%s", first, ending);
    for (; length + 1 < SOA_WRITTEN_NAME && find(model, buffer) >= 0; length++) {
        memcpy(buffer + length, "_", sizeof "_");
    }
    return buffer;
}

const char *soa_free_joint_name(
    const soa_model *model, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME])
{
    return free_name(model, soa_model_find_joint, first, ending, buffer);
}

const char *soa_free_link_name(
    const soa_model *model, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME])
{
    return free_name(model, soa_model_find_link, first, ending, buffer);
}

const char *soa_written_joint(const soa_model *model, int link, const char *ending, char buffer[SOA_WRITTEN_NAME])
{
    const soa_link *l = soa_model_link(model, link);
    return l->joint.name ? l->joint.name : soa_free_joint_name(model, l->name, ending, buffer);
}

/* ---- lists ------------------------------------------------------------------------ */

bool soa_by_link_make(soa_by_link *list, const soa_model *model, int items, int (*of)(const soa_model *model, int item),
    const soa_allocator *allocator)
{
    const int links = soa_model_links(model);
    list->first = soa_allocate(allocator, (size_t)links + 1 + (size_t)items, sizeof *list->first);
    if (!list->first) {
        return false;
    }
    list->next = list->first + links + 1;
    for (int i = 0; i <= links; i++) {
        list->first[i] = -1;
    }
    for (int i = items - 1; i >= 0; i--) {
        const int link = of(model, i), place = link == SOA_WORLD ? links : link;
        list->next[i] = list->first[place];
        list->first[place] = i;
    }
    return true;
}

void soa_by_link_free(soa_by_link *list, const soa_allocator *allocator)
{
    soa_release(allocator, list->first);
}

int soa_link_of_frame(const soa_model *model, int frame)
{
    return soa_model_frame(model, frame)->link;
}

int soa_link_of_coupling(const soa_model *model, int coupling)
{
    return soa_model_coupling(model, coupling)->link;
}

int soa_link_of_geometry(const soa_model *model, int geometry)
{
    return soa_model_geometry(model, geometry)->link;
}
