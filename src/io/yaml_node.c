/* io/yaml_node.c - nodes of flexible links, where joints, frames, closures and points of scenarios stand. */
#include <stdlib.h>
#include <string.h>

#include "io/yaml_flexible.h"

/* The node (from 1) that a word means; 0: none. */
static int find_node(const soa_flexible *f, const char *word)
{
    for (int i = 0; f->node_name && i < f->nodes; i++) {
        if (f->node_name[i] && strcmp(f->node_name[i], word) == 0) {
            return i + 1;
        }
    }
    if (strcmp(word, "first") == 0 || strcmp(word, "last") == 0) {
        return word[0] == 'f' && f->nodes > 0 ? 1 : f->nodes;
    }
    char *end;
    const long number = strtol(word, &end, 10);
    return *word >= '0' && *word <= '9' && !*end && number >= 1 && number <= f->nodes ? (int)number : 0;
}

void soa_yaml_node(const soa_yaml *mapping, const char *key, const soa_link *on, int *node)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value) {
        return;
    }
    const char *word = soa_yaml_as_text(value);
    if (!on || !on->flexible) {
        soa_yaml_fail(value, SOA_E_ARGUMENT, "'%s' names a node of %s%.80s%s, which is not flexible; leave it out", key,
            on ? "link '" : "the world", on ? on->name : "", on ? "'" : "");
        return;
    }
    *node = find_node(on->flexible, word);
    if (*node <= 0) {
        soa_yaml_fail(value, SOA_E_NAME,
            "link '%.80s' has no node '%.80s'; it has %d: give a number from 1 on, a name, or last", on->name, word,
            on->flexible->nodes);
    }
}

/* ---- what is written in links ------------------------------------------------------------------------------- */

void soa_yaml_link_nodes(soa_yaml_reader *reader, soa_yaml *first, const soa_yaml_scope *scope)
{
    for (soa_yaml *node = first; node && soa_yaml_ok(node); node = node->next) {
        const soa_yaml *joint = soa_yaml_get(node, "joint");
        if (!joint && !soa_yaml_get(node, "frames")) {
            continue;
        }
        const int index = soa_yaml_find(reader, scope, soa_yaml_get(node, "name"), false);
        if (joint && soa_yaml_get(joint, "node") && index >= 0) {
            soa_link link = *soa_builder_link(reader->kit.builder, index);
            soa_yaml_node(joint, "node", soa_builder_link(reader->kit.builder, link.parent), &link.node);
            soa_kit_set_link(&reader->kit, index, &link);
        }
        for (soa_yaml *frame = soa_yaml_items(node, "frames"); frame; frame = frame->next) {
            soa_yaml_frame(reader, frame, scope, index);
        }
    }
}
