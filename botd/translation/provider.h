/*
 * provider.h - who translates: one set of functions for each that there is.
 */
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

    /* Fills ret[count] with answers from the arena, valid UTF-8; NULL: this text could not be
     * translated. -1, with Retry-After where that makes sense, when none could. Parks, until the
     * deadline at most. */
    int (*translate)(void *self, const struct provider_call *call, const char **ret,
                     struct error *err);

    /* Looks after it, every few seconds and first at the start. The error is for the operator. May
     * park. */
    int (*tend)(void *self, const struct request *req, struct error *err);

    /* Asks it whether it is there and ready, without a text of anyone's (common/service/check.h).
     * Parks. */
    int (*check)(void *self, const struct request *req, struct finding *ret, struct error *err);

    /* No call is under way. */
    void (*destroy)(void *self);
};

#endif
