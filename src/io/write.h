/* io/write.h - what the writers of URDF and MJCF share. */
#ifndef SOA_IO_WRITE_H
#define SOA_IO_WRITE_H

#include "core/outcome.h"
#include "io/reader.h"
#include "io/xml_write.h"
#include "model/model.h"

#define SOA_WRITTEN_NAME (SOA_MAX_NAME + 64)

/* Bit for bit the identity. */
bool soa_is_identity(const soa_pose *pose);

/* outer inner, exactly one of them if the other is the identity. */
soa_pose soa_compose_exactly(const soa_pose *outer, const soa_pose *inner);

/* first + ending, with _ behind it until nothing of the model has the name: `find` is soa_model_find_joint or _link. */
typedef int soa_finder(const soa_model *model, const char *name);
const char *soa_free_name(
    const soa_model *model, soa_finder *find, const char *first, const char *ending, char buffer[SOA_WRITTEN_NAME]);

/* The name of the joint of a link: its own, or such a one from that of the link and the ending. */
const char *soa_written_joint(const soa_model *model, int link, const char *ending, char buffer[SOA_WRITTEN_NAME]);

/* The items of each link, in their order: the first is first[link], first[links] that of the world; next[item]
 * follows; -1 ends. */
typedef struct soa_by_link {
    int *first, *next;
} soa_by_link;

/* The items of a list of the model's description, in the arena; `link` is the offset of their link. */
void soa_by_link_make(soa_by_link *by, const soa_model *model, const soa_array *items, size_t link, soa_arena *arena,
    soa_outcome *outcome);

#endif
