/* io/flexible_file.c - a flexible link as a native file of its own. */
#include "core/error.h"
#include "io/whole_file.h"
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
    if (out.failed || out.cannot) {
        soa_text_free(out.allocator, out.bytes);
        return out.failed ? soa_fail_memory(error)
                          : soa_fail(error, SOA_E_UNSUPPORTED, -1, "the name of a node is not UTF-8; rename it");
    }
    *text = out.bytes;
    *length = out.length;
    return SOA_OK;
}

soa_status soa_flexible_save(const soa_flexible *flexible, const char *path, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    char *text;
    size_t length;
    if (!path) {
        return soa_fail_null(error, "the path");
    }
    soa_status status = soa_flexible_write(flexible, &usual, &text, &length, error);
    if (status == SOA_OK) {
        status = soa_file_write(path, text, length, &usual, error);
        soa_text_free(&usual, text);
    }
    return status;
}
