/* soa/soa.h - everything in libsoa. Reading and writing files: soa/io.h. */
#ifndef SOA_H
#define SOA_H


#endif
