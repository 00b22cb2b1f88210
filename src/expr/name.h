/* expr/name.h - names of every alphabet, in ASCII. */
#ifndef SOA_EXPR_NAME_H
#define SOA_EXPR_NAME_H

/* The most bytes of a name in ASCII, with its end. */
enum { SOA_NAME_MOST = 64 };

/* The name that the text begins with: its bytes in the text; 0: none; -1: too long. */
int soa_name_read(const char *text, char name[SOA_NAME_MOST]);

#endif
