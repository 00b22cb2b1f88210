/* expr/vector.c - what the list of vectors says. */
#include <string.h>

#include "expr/vector.h"

static const soa_vector_info list[SOA_VECTORS] = {
#define ENTRY(name, text, space, side, noun, source, definition, with_rotors, meaning) \
    { text, SOA_SPACE_##space, SOA_SIDE_##side, noun, SOA_ORIGIN_##source, definition, with_rotors, meaning },
    SOA_VECTOR_LIST(ENTRY)
#undef ENTRY
};

soa_vector_info soa_vector_about(soa_vector_id vector)
{
    return list[(unsigned)vector < SOA_VECTORS ? vector : SOA_VECTOR_T];
}

soa_vector_id soa_vector_find(const char *text)
{
    int i = 0;
    while (i < SOA_VECTORS && (!text || strcmp(list[i].text, text) != 0)) {
        i++;
    }
    return (soa_vector_id)i;
}

const char *soa_vector_definition(soa_vector_id vector, bool rotors)
{
    const soa_vector_info about = soa_vector_about(vector);
    return vector == SOA_VECTORS ? "" : rotors && about.with_rotors[0] ? about.with_rotors : about.definition;
}
