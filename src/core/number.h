/* core/number.h - decimal numbers as text, the same in every locale. */
#ifndef SOA_CORE_NUMBER_H
#define SOA_CORE_NUMBER_H

#include "soa/core.h"

/* Reads [+-] digits [. digits] [e|E [+-] digits] from the start of text (no white
 * space before it), rounded correctly. Returns the first character after the
 * number, or NULL (value untouched) if there is no number there or it overflows.
 * "nan" and "inf" are no numbers here, and of "0x10" only the "0" is one. */
const char *soa_number_read(const char *text, double *value);

#define SOA_NUMBER_SIZE 32

/* Writes the shortest of 15, 16 or 17 significant digits that reads back to the
 * same bits ("nan", "inf", "-inf" for those); returns buffer. */
char *soa_number_write(char buffer[SOA_NUMBER_SIZE], double value);

#endif
