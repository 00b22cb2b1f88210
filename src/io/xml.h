/* io/xml.h - an XML file as a tree of elements, by expat.
 *
 * A DOCTYPE is refused, depth is at most SOA_MAX_DEPTH, a NUL byte and an
 * encoding other than UTF-8 (or UTF-16 with a byte order mark) are refused.
 *
 * Whatever is asked of an element and cannot be told fails the outcome of its file; the first failure stays. */
#ifndef SOA_IO_XML_H
#define SOA_IO_XML_H

#include <string.h>

#include "core/memory.h"
#include "core/outcome.h"
#include "soa/model.h"

typedef struct soa_xml_attribute {
    const char *name;
    const char *value;
} soa_xml_attribute;

typedef struct soa_xml {
    const char *name;
    const char *file; /* for messages; lives in the arena */
    int line;
    int attributes;
    const soa_xml_attribute *attribute;
    const char *text; /* its character data, joined; "" if none or blank */
    struct soa_xml *child, *next, *parent;
    const struct soa_xml *older; /* says what this element does not: a default class of MJCF; NULL: none */
    soa_outcome *outcome;
} soa_xml;

/* The root element of text, or if root_only it alone with its attributes; it lives in the arena. file names it in messages.
 * NULL: the outcome has failed. */
soa_xml *soa_xml_parse(
    soa_arena *arena, const char *text, size_t length, const char *file, bool root_only, soa_outcome *outcome);

/* Children by name: first, and the next of the same name after `child`. NULL: none. */
soa_xml *soa_xml_child(const soa_xml *element, const char *name);
soa_xml *soa_xml_next(const soa_xml *child, const char *name);
int soa_xml_children(const soa_xml *element, const char *name);

static inline bool soa_xml_is(const soa_xml *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* Whether a name is in a list that NULL ends; whether it is one of words, each with a space behind it. */
bool soa_is_one_of(const char *name, const char *const *list);
bool soa_is_word_of(const char *name, const char *words);

/* The value of an attribute of the element itself, or NULL; of the nearest of the older ones too. */
const char *soa_xml_get(const soa_xml *element, const char *attribute);
const soa_xml *soa_xml_where(const soa_xml *element, const char *attribute);
const char *soa_xml_text(const soa_xml *element, const char *attribute);

/* Each reads an attribute, of the element or the nearest of the older ones that has it. Whether it is there; values stay as
 * they are if it is not. Messages name file, line, element and attribute. */
bool soa_xml_number(const soa_xml *element, const char *attribute, double *value);
bool soa_xml_numbers(const soa_xml *element, const char *attribute, int count, double *values); /* exactly count */
bool soa_xml_boolean(const soa_xml *element, const char *attribute, bool *value);               /* true, false, 1, 0 */

/* How many numbers there are, at most so many; fewer leave the others as the older elements say. */
int soa_xml_numbers_up_to(const soa_xml *element, const char *attribute, int most, double *values);

/* The index of the attribute's value in words (ended by NULL), `usual` if it is not there. */
int soa_xml_word(const soa_xml *element, const char *attribute, const char *const *words, int usual);

/* "<file>:<line>: <element> 'name': ...". An element without a name is told by its nearest named ancestor:
 * "link 'b': mass: ...". */
void soa_xml_fail(const soa_xml *element, soa_status status, const char *format, ...) SOA_PRINTF(3, 4);

soa_source soa_xml_source(const soa_xml *element);

/* How often something was met, and where first; of an attribute, its name there. */
typedef struct soa_xml_tally {
    int count;
    const soa_xml *first;
    const char *attribute;
} soa_xml_tally;

void soa_xml_count(soa_xml_tally *tally, const soa_xml *element);

/* The attributes that an element may have, each with a space behind it. */
typedef struct soa_xml_known {
    const char *element, *attributes;
} soa_xml_known;

/* Counts attributes that an element of a list (which NULL ends) may not have. prefixed: those with a prefix, which belong to
 * other programs, may be there. */
void soa_xml_strangers(const soa_xml *element, const soa_xml_known *known, bool prefixed, soa_xml_tally *tally);

#endif
