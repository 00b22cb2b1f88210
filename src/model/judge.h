/* model/judge.h - rules that an item of a description must satisfy.
 *
 * A judge names the item and its place; the first rule that does not hold is told, and those after it say nothing. */
#ifndef SOA_MODEL_JUDGE_H
#define SOA_MODEL_JUDGE_H

#include "core/outcome.h"
#include "model/model.h"

typedef struct soa_judge {
    soa_outcome outcome;
    const char *what, *name; /* "joint", "elbow" */
    soa_source source;
} soa_judge;

/* "joint 'elbow': ..." at the place of the item, unless the rule holds. */
void soa_require(soa_judge *judge, bool holds, soa_status status, const char *format, ...) SOA_PRINTF(4, 5);

/* "joint 'elbow': ..." at the place of the item, as a warning of the model. */
void soa_remark(soa_judge *judge, soa_model *model, const char *format, ...) SOA_PRINTF(3, 4);

/* Whether the link has the node that the item asks for. */
void soa_require_node(soa_judge *judge, const soa_description *description, int link, int node);

#endif
