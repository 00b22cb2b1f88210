/* io/yaml_word.h - names as YAML scalars. */
#ifndef SOA_IO_YAML_WORD_H
#define SOA_IO_YAML_WORD_H

#include "io/reader.h"

/* Appends a word that reads back equal: plain if it can be, else in double quotes
 * with escapes. YAML cannot say one that is not UTF-8. */
void soa_yaml_word(soa_text *text, const char *word);

#endif
