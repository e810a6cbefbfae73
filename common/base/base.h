/* base.h - macros and standard headers, which no other file includes again. */
#ifndef ATRIUM_COMMON_BASE_BASE_H
#define ATRIUM_COMMON_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h> /* its MIN and MAX evaluate twice; replaced below */

/* Calls FN(&variable) at the end of the variable's scope. Each x_destroy(struct x **) fits. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* For CLEANUP of malloc() memory; accepts NULL. */
static inline void memory_free(void *pointer_p)
{
    void *pointer;

    memcpy(&pointer, pointer_p, sizeof(pointer));
    free(pointer);
}

#define MUST_USE __attribute__((warn_unused_result))

#define PRINTF_LIKE(position, first) __attribute__((format(printf, position, first)))

#define NORETURN __attribute__((noreturn))
#define UNUSED __attribute__((unused))

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Moves a pointer out of a CLEANUP variable. */
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

/* A Boolean that can be absent. */
enum tristate { TRISTATE_UNSET = -1, TRISTATE_FALSE = 0, TRISTATE_TRUE = 1 };

#endif
