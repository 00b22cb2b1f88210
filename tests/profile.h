/* tests/profile.h - the counters of a coverage build, for a process that ends by _exit. */
#ifndef SOA_TESTS_PROFILE_H
#define SOA_TESTS_PROFILE_H

extern int __llvm_profile_write_file(void) __attribute__((weak)); /* of clang's runtime, if it is there */

static inline void write_profile(void)
{
    if (__llvm_profile_write_file) {
        (void)__llvm_profile_write_file();
    }
}

#endif
