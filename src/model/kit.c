/* model/kit.c - the steps of a builder that remembers its first failure. */
#include "model/kit.h"

#include <stdarg.h>
#include <stdio.h>

int soa_kit_link(soa_kit *kit, const soa_link *link)
{
    int index = SOA_WORLD;
    if (soa_ok(&kit->outcome)) {
        soa_keep(&kit->outcome, soa_builder_add_link(kit->builder, link, &index, kit->outcome.error));
    }
    return index;
}

void soa_kit_set_link(soa_kit *kit, int index, const soa_link *link)
{
    if (soa_ok(&kit->outcome)) {
        soa_keep(&kit->outcome, soa_builder_set_link(kit->builder, index, link, kit->outcome.error));
    }
}

#define STEP(name)                                                                                         \
    void soa_kit_##name(soa_kit *kit, const soa_##name *item)                                              \
    {                                                                                                      \
        if (soa_ok(&kit->outcome)) {                                                                       \
            soa_keep(&kit->outcome, soa_builder_add_##name(kit->builder, item, NULL, kit->outcome.error)); \
        }                                                                                                  \
    }
STEP(frame)
STEP(coupling)
STEP(closure)
STEP(geometry)

void soa_kit_configuration(soa_kit *kit, const char *name, int nq, const double *q, int nv, const double *v)
{
    if (soa_ok(&kit->outcome)) {
        soa_keep(&kit->outcome, soa_builder_add_configuration(kit->builder, name, nq, q, nv, v, kit->outcome.error));
    }
}

void soa_kit_name(soa_kit *kit, const char *name)
{
    if (soa_ok(&kit->outcome)) {
        soa_keep(&kit->outcome, soa_builder_set_name(kit->builder, name, kit->outcome.error));
    }
}

void soa_kit_warn(soa_kit *kit, soa_source source, const char *format, ...)
{
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (soa_ok(&kit->outcome)) {
        soa_keep(&kit->outcome, soa_builder_warn(kit->builder, source, kit->outcome.error, "%s", text));
    }
}

void *soa_kit_push(soa_kit *kit, soa_array *array)
{
    void *item = soa_ok(&kit->outcome) ? soa_array_push(array, kit->allocator) : NULL;
    return soa_got(&kit->outcome, item) ? item : NULL;
}

void soa_kit_index(soa_kit *kit, soa_names *names, const char *name, int number)
{
    if (soa_ok(&kit->outcome) && !soa_names_add(names, kit->allocator, name, number)) {
        soa_halt_memory(&kit->outcome);
    }
}
