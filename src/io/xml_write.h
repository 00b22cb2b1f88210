/* io/xml_write.h - attributes of XML elements as text. */
#ifndef SOA_IO_XML_WRITE_H
#define SOA_IO_XML_WRITE_H

#include "io/reader.h"

/* Text that stands in an attribute, with & < > " and ends of lines escaped. XML cannot say one that is not
 * UTF-8 or has other control characters. */
void soa_xml_write_text(soa_text *text, const char *value);

/* name="value" and name="1 2 3", each after a space. -0 is written 0. */
void soa_xml_write_attribute(soa_text *text, const char *name, const char *value);
void soa_xml_write_numbers(soa_text *text, const char *name, int count, const double *value);

#endif
