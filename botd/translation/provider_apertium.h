/*
 * provider_apertium.h - translation on this machine by Apertium (apertium(1)), with whatever pairs
 * of languages are installed.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_APERTIUM_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_APERTIUM_H

#include "botd/bot/program.h"
#include "botd/translation/provider.h"

struct apertium_options {
    const char *data_dir; /* has modes/A-B.mode for each pair */
    size_t pipelines_max; /* at the same time */
    bool trial;           /* each pair translates a word at the start and for doctor */
};

/* Options' texts and `programs` (which knows whether there is a sandbox) are borrowed. */
struct provider provider_apertium(struct loop *loop, struct metrics *metrics,
                                  const struct programs *programs,
                                  const struct apertium_options *options);

#endif
