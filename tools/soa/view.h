/* view.h - a page that shows a model and a recording of it. */
#ifndef SOA_TOOL_VIEW_H
#define SOA_TOOL_VIEW_H

#include "record.h"
#include "tool.h"

/* The page for a model, with a recording (NULL: none), whole or not at all. TOOL_FAILED after a message. */
int view_write(tool_call *call, const soa_model *model, const sheet *rows, const char *path);

/* The same with the recording in a folder, as FOLDER/view.html, shown. */
int view_recording(tool_call *call, const soa_model *model, const char *folder);

/* A new folder for temporary files; free its name. NULL after a message. */
char *view_folder(void);

/* Asks the desktop for a browser, and says where the page is. */
int view_show(const tool_call *call, const char *path);

#endif
