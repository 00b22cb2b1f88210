/* line.h - lines that someone types, with history and completion where libedit is there. */
#ifndef SOA_TOOL_LINE_H
#define SOA_TOOL_LINE_H

/* word: what can be completed, by number; NULL after the last. */
void tool_line_begin(const char *(*word)(int index));

/* The next line, without its end, to be freed; NULL at the end of the input. The
 * prompt appears only on a terminal. */
char *tool_line_read(const char *prompt);

/* Keeps the history. */
void tool_line_end(void);

#endif
