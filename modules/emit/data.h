/* emit/data.h - pieces of a model that is written as a constant. */
#ifndef SOA_EMIT_DATA_H
#define SOA_EMIT_DATA_H

#include "emit/job.h"
#include "model/model.h"

/* "1, 2, 3", with `row` numbers between braces; row 0: no braces inside. */
void data_numbers(text *to, size_t n, size_t row, const double *x);

/* "left \"arm\"", or NULL. */
void data_text(text *to, const char *x);

/* Of flexible links: constants flexible_LINK, modal_BODY and ports_BODY; then the fields of a body that refer to them. */
void data_flexible(text *to, const soa_model *model);
void data_flexible_body(text *to, const soa_model *model, int body);

#endif
