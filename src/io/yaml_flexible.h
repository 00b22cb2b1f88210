/* io/yaml_flexible.h - flexible links in native YAML. */
#ifndef SOA_IO_YAML_FLEXIBLE_H
#define SOA_IO_YAML_FLEXIBLE_H

#include "io/reader.h"
#include "io/yaml_read.h"
#include "soa/flex.h"

/* What a mapping `flexible` describes: a beam, a plate, a file or the data themselves. Free it when it has been copied;
 * NULL: refused. */
soa_flexible *soa_yaml_flexible(soa_yaml_reader *reader, soa_yaml *mapping);

/* The data of a link that is reduced already, written in the mapping. */
soa_flexible *soa_yaml_flexible_data(soa_yaml_reader *reader, soa_yaml *mapping);

/* The node of a link (NULL: the world) that the key of a mapping names: first, last, a number from 1 on or a name.
 * Untouched if the key is not there. */
void soa_yaml_node(const soa_yaml *mapping, const char *key, const soa_link *on, int *node);

/* Once all links of a list are in the builder: the nodes that carry their joints, and the frames written in them. */
void soa_yaml_link_nodes(soa_yaml_reader *reader, soa_yaml *first, const soa_yaml_scope *scope);

/* A frame written in a list; in that of a link (owner >= 0) it names none. */
void soa_yaml_frame(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope, int owner);

/* Appends the mapping `flexible`, each line indented by so many spaces. */
void soa_yaml_write_flexible(soa_text *text, const soa_flexible *flexible, int indent);

#endif
