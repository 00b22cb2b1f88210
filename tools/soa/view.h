/* view.h - a page that shows a model and a recording of it. */
#ifndef SOA_TOOL_VIEW_H
#define SOA_TOOL_VIEW_H

#include "record.h"
#include "tool.h"

/* The page for a model with the recording in a folder, as FOLDER/view.html, shown. */
void view_recording(tool_call *call, const soa_model *model, const char *folder);

/* A new folder for temporary files. */
char *view_folder(void);

#endif
