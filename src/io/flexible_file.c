/* io/flexible_file.c - a flexible link as a native file of its own. */
#include "core/error.h"
#include "io/yaml_flexible.h"

soa_status soa_flexible_write(
    const soa_flexible *flexible, const soa_allocator *allocator, char **text, size_t *length, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    soa_text out = soa_text_on(allocator ? allocator : &usual);
    soa_error_clear(error);
    if (!flexible || !text || !length) {
        return soa_fail_null(error, !flexible ? "the flexible link" : "the place of the text");
    }
    *text = NULL;
    *length = 0;
    soa_text_add(&out, "soa: 1\n");
    soa_yaml_write_flexible(&out, flexible, 0);
    const soa_status status =
        !out.cannot ? SOA_OK : soa_fail(error, SOA_E_UNSUPPORTED, -1, "the name of a node is not UTF-8; rename it");
    return soa_text_give(&out, status, text, length, error);
}

soa_status soa_flexible_save(const soa_flexible *flexible, const char *path, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    char *text = NULL;
    size_t length = 0;
    if (!path) {
        return soa_fail_null(error, "the path");
    }
    const soa_status status = soa_flexible_write(flexible, &usual, &text, &length, error);
    return soa_text_save(path, status, text, length, error);
}
