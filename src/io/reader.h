/* io/reader.h - what the readers and writers of the formats offer each other. */
#ifndef SOA_IO_READER_H
#define SOA_IO_READER_H

#include "core/memory.h"
#include "soa/io.h"

/* A whole file (at most SOA_MAX_FILE_BYTES), ended by a NUL beyond *length, in
 * the arena. A directory, a missing or too large file is SOA_E_FILE naming it. */
soa_status soa_file_read(soa_arena *arena, const char *path, char **text, size_t *length, soa_error *error);

/* `name` as seen from the folder of the file `from`; unchanged if absolute. NULL:
 * no memory. */
char *soa_file_beside(soa_arena *arena, const char *from, const char *name);
bool soa_file_exists(const char *path);

/* Whether a name leads out of the folder of the file that gives it: it is absolute or has a part "..". */
bool soa_file_leaves(const char *name);

/* Takes out of an error what it quotes of a file outside of the model's folder: file, line and status stay. */
void soa_file_hide(soa_error *error);

/* Each adds what the text describes to the builder. path: see soa_load_text. */
soa_status soa_urdf_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error);
soa_status soa_mjcf_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error);
soa_status soa_yaml_read(soa_builder *builder, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_error *error);

/* Loop closures of a URDF, in a file beside it (STEM.yaml with closed_loop and
 * type lists, as parallel robots are published). Nothing is there: SOA_OK. */
soa_status soa_urdf_sidecar_read(
    soa_builder *builder, const char *urdf_path, const soa_allocator *allocator, soa_error *error);

/* ---- text that grows ------------------------------------------------------------ */

typedef struct soa_text {
    const soa_allocator *allocator;
    char *bytes;
    size_t length, capacity;
    bool failed;        /* no memory: later calls do nothing */
    const char *cannot; /* the first name that the format cannot say; lives as long as the model */
} soa_text;

soa_text soa_text_on(const soa_allocator *allocator);
void soa_text_add(soa_text *text, const char *format, ...) SOA_PRINTF(2, 3);
void soa_text_number(soa_text *text, double value); /* shortest that reads back equal */
void soa_text_cannot(soa_text *text, const char *name);

/* Hands the bytes over if the status of writing them is SOA_OK, else frees them. Returns that status, or SOA_E_MEMORY. */
soa_status soa_text_give(soa_text *text, soa_status status, char **bytes, size_t *length, soa_error *error);

/* Writes bytes that were handed over so to a file, and frees them. */
soa_status soa_text_save(const char *path, soa_status status, char *bytes, size_t length, soa_error *error);

/* Each appends the model. SOA_E_UNSUPPORTED names what the format cannot say. */
soa_status soa_yaml_write(const soa_model *model, soa_text *text, soa_error *error);
soa_status soa_urdf_write(const soa_model *model, soa_text *text, soa_error *error);
soa_status soa_mjcf_write(const soa_model *model, soa_text *text, soa_error *error);

#endif
