/* io/xml.h - an XML file as a tree of elements, by expat.
 *
 * A DOCTYPE is refused, depth is at most SOA_MAX_DEPTH, a NUL byte and an
 * encoding other than UTF-8 (or UTF-16 with a byte order mark) are refused. */
#ifndef SOA_IO_XML_H
#define SOA_IO_XML_H

#include "core/memory.h"
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
} soa_xml;

/* The root element of text; it lives in the arena. file names it in messages. */
soa_status soa_xml_parse(
    soa_arena *arena, const char *text, size_t length, const char *file, soa_xml **root, soa_error *error);

/* The root element alone, with its attributes: what kind of document this is. */
soa_status soa_xml_parse_root(
    soa_arena *arena, const char *text, size_t length, const char *file, soa_xml **root, soa_error *error);

/* Children by name: first, and the next of the same name after `child`. NULL: none. */
soa_xml *soa_xml_child(const soa_xml *element, const char *name);
soa_xml *soa_xml_next(const soa_xml *child, const char *name);

/* The value of an attribute, or NULL. */
const char *soa_xml_get(const soa_xml *element, const char *attribute);

/* Each reads an attribute if it is there: *found (may be NULL) says so, the value
 * is untouched if not. An error names file, line, element and attribute. */
soa_status soa_xml_number(const soa_xml *element, const char *attribute, double *value, bool *found, soa_error *error);
soa_status soa_xml_numbers(const soa_xml *element, const char *attribute, int count, double *values, bool *found,
    soa_error *error); /* exactly count */
soa_status soa_xml_numbers_up_to(const soa_xml *element, const char *attribute, int most, double *values, int *count,
    soa_error *error); /* 0 .. most of them; *count 0 if the attribute is not there */
soa_status soa_xml_boolean(
    const soa_xml *element, const char *attribute, bool *value, bool *found, soa_error *error); /* true, false, 1, 0 */

/* "<file>:<line>: <element> 'name': ..." as an error; returns status. An element
 * without a name is told by its nearest named ancestor: "link 'b': mass: ...". */
soa_status soa_xml_fail(const soa_xml *element, soa_status status, soa_error *error, const char *format, ...)
    SOA_PRINTF(4, 5);

soa_source soa_xml_source(const soa_xml *element);

#endif
