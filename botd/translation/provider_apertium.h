/*
 * provider_apertium.h - local translation with Apertium (apertium(1)) and its installed pairs.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_APERTIUM_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_APERTIUM_H

#include "botd/bot/program.h"
#include "botd/translation/provider.h"

struct apertium_options {
    const char *data_dir; /* contains modes/A-B.mode */
    size_t pipelines_max;
    bool trial; /* tests pairs at the start and for doctor */
};

/* Borrows the options' texts and `programs`. */
struct provider provider_apertium(struct loop *loop, struct metrics *metrics,
                                  const struct programs *programs,
                                  const struct apertium_options *options);

#endif
