/* soa/core.h - what every other header uses: status, error, memory, version.
 *
 * A function that can fail returns a soa_status and fills the soa_error it was
 * given; the error may be NULL. The library never prints, never exits and keeps
 * no global state. */
#ifndef SOA_CORE_H
#define SOA_CORE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SOA_API                 __attribute__((visibility("default")))
#define SOA_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SOA_API
#define SOA_PRINTF(text, first)
#endif

/* ---- version ---------------------------------------------------------------- */

#define SOA_VERSION_MAJOR 0
#define SOA_VERSION_MINOR 2
#define SOA_VERSION_PATCH 0
#define SOA_VERSION       "0.2.0"

/* Returns the version of the library that is running, "major.minor.patch". */
SOA_API const char *soa_version(void);

/* ---- status ----------------------------------------------------------------- */

/* Every way a call can end: name, text. */
#define SOA_STATUS_LIST(X)                                         \
    X(SOA_OK, "success")                                           \
    X(SOA_E_MEMORY, "out of memory")                               \
    X(SOA_E_ARGUMENT, "an argument is not valid")                  \
    X(SOA_E_NUMBER, "a number is not finite or out of range")      \
    X(SOA_E_NAME, "a name is unknown, empty or used twice")        \
    X(SOA_E_TREE, "the links do not form a tree")                  \
    X(SOA_E_INERTIA, "an inertia is not physical")                 \
    X(SOA_E_JOINT, "a joint is not valid")                         \
    X(SOA_E_COUPLING, "a coupling of joints is not valid")         \
    X(SOA_E_CLOSURE, "a loop closure is not valid")                \
    X(SOA_E_LIMIT, "a size is beyond the stated limit")            \
    X(SOA_E_FILE, "a file cannot be read or written")              \
    X(SOA_E_SYNTAX, "a text is not well formed")                   \
    X(SOA_E_UNSUPPORTED, "the request is valid but not supported") \
    X(SOA_E_CONFIGURATION, "a configuration q is not valid")       \
    X(SOA_E_SINGULAR, "the hinge inertia D is not positive definite")

typedef enum soa_status {
#define SOA_STATUS_NAME(name, text) name,
    SOA_STATUS_LIST(SOA_STATUS_NAME)
#undef SOA_STATUS_NAME
} soa_status;

/* Returns the text of a status, or "unknown status" for any other number. */
SOA_API const char *soa_status_text(soa_status status);

/* ---- error ------------------------------------------------------------------ */

#define SOA_ERROR_FILE 256
#define SOA_ERROR_TEXT 512

/* What went wrong and where. A place that does not apply is -1 (body, state),
 * 0 (line, column) or "" (file). */
typedef struct soa_error {
    soa_status status;
    int body;
    int state;
    int line;
    int column;
    char file[SOA_ERROR_FILE];
    char text[SOA_ERROR_TEXT]; /* one line: what is wrong; what to do */
} soa_error;

/* Sets no error and no place. */
SOA_API void soa_error_clear(soa_error *error);

/* Writes "FILE:LINE: text", as much of it as is known, into the buffer and returns it. */
SOA_API char *soa_error_message(const soa_error *error, char *buffer, size_t size);

/* Turns a text into one line that is safe to show on a terminal, in place, and returns it. Names come from files, so
 * control characters (also those of 8 bits), marks that change the direction of writing, and bytes that are not UTF-8
 * become a space or '?'. The texts of errors and warnings are safe already. */
SOA_API char *soa_printable(char *text);

/* ---- memory ----------------------------------------------------------------- */

/* Every block that the library returns or uses begins at a multiple of this. */
#define SOA_ALIGNMENT 64

/* Where memory comes from. allocate returns a block aligned to SOA_ALIGNMENT, or NULL if there is no memory. release
 * accepts NULL. Any thread that uses an object made with the allocator may call both. */
typedef struct soa_allocator {
    void *(*allocate)(void *context, size_t size);
    void (*release)(void *context, void *block);
    void *context;
} soa_allocator;

/* Returns the allocator of the C library. It is used wherever you give NULL for an allocator. */
SOA_API soa_allocator soa_allocator_default(void);

/* ---- processor -------------------------------------------------------------- */

/* What the library knows about the processor on which it runs. */
typedef struct soa_cpu {
    bool fma;    /* fused multiply-add: results are those of the FMA profile */
    bool avx2;   /* four lanes at a time */
    bool avx512; /* eight lanes at a time */
} soa_cpu;

SOA_API soa_cpu soa_cpu_features(void);

#ifdef __cplusplus
}
#endif
#endif
