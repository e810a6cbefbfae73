/* provider.h - the interface of translation providers. */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_H

#include "botd/translation/languages.h"
#include "botd/translation/mask.h"
#include "common/base/error.h"
#include "common/service/check.h"

struct provider_call {
    struct arena *arena;
    const struct language *from, *to;
    const char *const *texts; /* from mask_render() */
    size_t count;
    int64_t deadline_mono_ms;
};

struct provider {
    const char *name; /* part of the translation memory's key */
    enum mask_style style;
    void *self;

    /* *ret: the provider translates this pair. -1: it cannot tell. Can park. */
    int (*has_pair)(void *self, const struct provider_call *call, bool *ret, struct error *err);

    /* Fills ret[count]; NULL: not translated. -1: none; Retry-After if a retry helps. Parks. */
    int (*translate)(void *self, const struct provider_call *call, const char **ret,
                     struct error *err);

    /* Runs every few seconds. The error is for the operator. Can park. */
    int (*tend)(void *self, const struct request *req, struct error *err);

    /* Checks the provider without a user's text (common/service/check.h). Parks. */
    int (*check)(void *self, const struct request *req, struct finding *ret, struct error *err);

    /* No call may be in progress. */
    void (*destroy)(void *self);
};

#endif
