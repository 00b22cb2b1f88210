/* io/whole_file.h - writing a file whole or not at all. */
#ifndef SOA_IO_WHOLE_FILE_H
#define SOA_IO_WHOLE_FILE_H

#include "core/memory.h"

/* Makes path hold these bytes, through a temporary file beside it that is renamed
 * when it is complete and removed on failure. */
soa_status soa_file_write(
    const char *path, const char *bytes, size_t length, const soa_allocator *allocator, soa_error *error);

#endif
