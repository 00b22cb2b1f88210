/* soa/io.h - models from and to files: URDF, MJCF, native YAML. Library soa_io.
 *
 * Readers refuse what they do not understand and tell where it is: error->file, error->line and error->text. If a
 * reader skips something on purpose (actuators, tendons), or if something looks wrong but is usable (an inertia that
 * violates the triangle inequality), the model has a warning. Numbers are plain decimals in every locale.
 *
 * A file may name others (include, mesh, file, a YAML beside a URDF), also outside of its own folder: by an absolute
 * path or through "..". The readers only read them. A message about a file outside of the folder never quotes it. */
#ifndef SOA_IO_H
#define SOA_IO_H

#include "soa/flex.h"
#include "soa/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every format: name, text, usual ending. */
#define SOA_FORMAT_LIST(X)       \
    X(SOA_URDF, "URDF", ".urdf") \
    X(SOA_MJCF, "MJCF", ".xml")  \
    X(SOA_YAML, "YAML", ".yaml")

typedef enum soa_format {
#define SOA_FORMAT_NAME(name, text, ending) name,
    SOA_FORMAT_LIST(SOA_FORMAT_NAME)
#undef SOA_FORMAT_NAME
        SOA_FORMATS
} soa_format;

/* Limits of every reader. */
#define SOA_MAX_FILE_BYTES (256u << 20)
#define SOA_MAX_DEPTH      256
#define SOA_MAX_INCLUDES   256

/* Loads a model from a file. The ending (.urdf, .xml, .yaml, .yml) tells the format; an .xml file whose root is <robot>
 * is URDF. */
SOA_API soa_status soa_load(const char *path, const soa_allocator *allocator, soa_model **model, soa_error *error);

/* Loads a model from text. path names the text in messages, and relative names of other files start from it. If path is
 * NULL, other files are refused. */
SOA_API soa_status soa_load_text(soa_format format, const char *text, size_t length, const char *path,
    const soa_allocator *allocator, soa_model **model, soa_error *error);

/* Writes the model as text. *length does not count the NUL at the end. Release the text with soa_text_free and the same
 * allocator. YAML describes everything and reads back equal to the last bit. What URDF and MJCF cannot describe is
 * SOA_E_UNSUPPORTED. */
SOA_API soa_status soa_write(const soa_model *model, soa_format format, const soa_allocator *allocator, char **text,
    size_t *length, soa_error *error);
SOA_API void soa_text_free(const soa_allocator *allocator, char *text);

/* Writes the model into a file. If that fails, the file is left as it was. */
SOA_API soa_status soa_save(const soa_model *model, soa_format format, const char *path, soa_error *error);

/* ---- flexible links ------------------------------------------------------------ */

/* A model of finite elements, by the ending of its file:
 *     NAME.inp            CalculiX: nodes and node sets; NAME.sti, NAME.mas, NAME.dof beside it (SOLVER=MATRIXSTORAGE)
 *     NAME.bdf, .dat, .pch   NASTRAN: GRID, SET1, and DMIG matrices, stiffness K..., mass M...
 *     NAME.op4            text, the matrices K... and M...; NAME.nodes beside it
 *     NAME.stiffness.mtx  Matrix Market; NAME.mass.mtx and NAME.nodes beside it
 * NAME.nodes has a line "name x y z [set ...]" for each node; nodes have three displacements, or these and then three
 * rotations, in the order of the lines. */
SOA_API soa_status soa_fe_load(const char *path, const soa_allocator *allocator, soa_fe **fe, soa_error *error);
SOA_API void soa_fe_free(soa_fe *fe);

/* A flexible link as a native file, which reads back equal to the last bit: "flexible: {file: PATH}" in a link. */
SOA_API soa_status soa_flexible_write(
    const soa_flexible *flexible, const soa_allocator *allocator, char **text, size_t *length, soa_error *error);
SOA_API soa_status soa_flexible_save(const soa_flexible *flexible, const char *path, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
