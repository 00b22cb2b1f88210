/* io/xml_write.h - XML as text, from patterns. */
#ifndef SOA_IO_XML_WRITE_H
#define SOA_IO_XML_WRITE_H

#include "io/reader.h"

/* Appends a pattern in which
 *     $s is a text (const char *) in quotes,       $t one without quotes; & < > " and ends of lines are escaped
 *     $3 is so many numbers (const double *) in quotes, -0 written as 0
 *     $n is a number (double),                     $i an int
 * as in soa_xml_write(text, "<mass value=$1/>\n", &mass). XML cannot say a text that is not UTF-8 or has other control
 * characters. */
void soa_xml_write(soa_text *text, const char *pattern, ...);

#endif
