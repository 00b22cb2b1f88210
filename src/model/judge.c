/* model/judge.c - rules that an item of a description must satisfy. */
#include "model/judge.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/error.h"

void soa_require(soa_judge *judge, bool holds, soa_status status, const char *format, ...)
{
    if (holds || !soa_ok(&judge->outcome)) {
        return;
    }
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    soa_halt(
        &judge->outcome, status, judge->source.file, judge->source.line, "%s '%s': %s", judge->what, judge->name, text);
}

void soa_remark(soa_judge *judge, soa_model *model, const char *format, ...)
{
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (soa_ok(&judge->outcome) && !soa_description_warn(&model->description, &model->allocator, &model->arena,
                                       judge->source, "%s '%s': %s", judge->what, judge->name, text)) {
        soa_halt_memory(&judge->outcome);
    }
}

void soa_require_node(soa_judge *judge, const soa_description *description, int link, int node)
{
    char item[SOA_ERROR_TEXT];
    snprintf(item, sizeof item, "%s '%s'", judge->what, judge->name);
    if (soa_ok(&judge->outcome)) {
        soa_keep(&judge->outcome, soa_check_node(description, link, node, item, judge->source, judge->outcome.error));
    }
}
