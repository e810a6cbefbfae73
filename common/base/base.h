/* base.h - macros and C headers for every file of the suite: no other file includes these again. */
#ifndef ATRIUM_COMMON_BASE_BASE_H
#define ATRIUM_COMMON_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h> /* its MIN and MAX evaluate twice; ours replace them below */

/* Calls FN(&variable) when the variable leaves its scope; every x_destroy(struct x **) fits. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* For a CLEANUP variable of any pointer type that came from malloc(); NULL is allowed. */
static inline void memory_free(void *pointer_p)
{
    void *pointer;

    memcpy(&pointer, pointer_p, sizeof(pointer));
    free(pointer);
}

/* Ignoring the result of such a function is a compile error: it tells whether the work was done. */
#define MUST_USE __attribute__((warn_unused_result))

/* The compiler checks the arguments against the format; positions count from 1. */
#define PRINTF_LIKE(position, first) __attribute__((format(printf, position, first)))

#define NORETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Moves a pointer out of a CLEANUP variable: yields its value and leaves NULL behind. */
#define TAKE_PTR(pointer)                       \
    ({                                          \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                       \
        taken_;                                 \
    })

#undef MIN
#undef MAX
#define MIN(a, b)                          \
    ({                                     \
        __typeof__(a) min_a_ = (a);        \
        __typeof__(b) min_b_ = (b);        \
        min_a_ < min_b_ ? min_a_ : min_b_; \
    })
#define MAX(a, b)                          \
    ({                                     \
        __typeof__(a) max_a_ = (a);        \
        __typeof__(b) max_b_ = (b);        \
        max_a_ > max_b_ ? max_a_ : max_b_; \
    })

/* A yes/no that may also be absent, as optional Booleans of requests and settings are. */
enum tristate { TRISTATE_UNSET = -1, TRISTATE_FALSE = 0, TRISTATE_TRUE = 1 };

#endif
