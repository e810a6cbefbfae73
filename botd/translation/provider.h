/* provider.h - who translates: one set of functions for each that there is. */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_H

#include "botd/translation/languages.h"
#include "botd/translation/mask.h"
#include "common/base/error.h"
#include "common/service/check.h"

struct provider_call {
    struct arena *arena;
    const struct language *from, *to;
    const char *const *texts; /* as mask_render() shows them in the provider's style */
    size_t count;
    int64_t deadline_mono_ms;
};

struct provider {
    const char *name; /* also part of the key under which its translations are remembered */
    enum mask_style style;
    void *self;

    /* Whether it translates between the two. -1 when it cannot be asked. May park. */
    int (*has_pair)(void *self, const struct provider_call *call, bool *ret, struct error *err);

    /* Fills ret[count] with answers, valid UTF-8 from the arena; NULL: not translated. -1 when none
     * could be, with Retry-After if that makes sense. Parks, until the deadline. */
    int (*translate)(void *self, const struct provider_call *call, const char **ret,
                     struct error *err);

    /* Maintenance, at the start and every few seconds. The error is for the operator. May park. */
    int (*tend)(void *self, const struct request *req, struct error *err);

    /* Checks that it is ready, without anyone's text (common/service/check.h). Parks. */
    int (*check)(void *self, const struct request *req, struct finding *ret, struct error *err);

    /* No call is under way. */
    void (*destroy)(void *self);
};

#endif
