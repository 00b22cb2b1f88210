/* io/write.h - what the writers of URDF and MJCF share. */
#ifndef SOA_IO_WRITE_H
#define SOA_IO_WRITE_H

#include "io/reader.h"
#include "io/xml_write.h"

#define SOA_WRITTEN_NAME (SOA_MAX_NAME + 64)

/* Bit for bit the identity. */
bool soa_is_identity(const soa_pose *pose);

/* outer inner, exactly one of them if the other is the identity. */
soa_pose soa_compose_exactly(const soa_pose *outer, const soa_pose *inner);

/* The name of the joint of a link: its own, or that of the link and the ending, with _ behind it until no joint of
 * the model has it. */
const char *soa_written_joint(const soa_model *model, int link, const char *ending, char buffer[SOA_WRITTEN_NAME]);

/* first + ending, with _ behind it until no joint (or no link) of the model has the name. */
const char *soa_free_joint_name(
    const soa_model *model, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME]);
const char *soa_free_link_name(
    const soa_model *model, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME]);

/* The items of each link, in their order: the first is first[link], first[links] that of the world; next[item]
 * follows; -1 ends. */
typedef struct soa_by_link {
    int *first, *next;
} soa_by_link;

/* of: the link of an item. false: no memory. */
bool soa_by_link_make(soa_by_link *list, const soa_model *model, int items, int (*of)(const soa_model *model, int item),
    const soa_allocator *allocator);
void soa_by_link_free(soa_by_link *list, const soa_allocator *allocator);

int soa_link_of_frame(const soa_model *model, int frame);
int soa_link_of_coupling(const soa_model *model, int coupling);
int soa_link_of_geometry(const soa_model *model, int geometry);

#endif
