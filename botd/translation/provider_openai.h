/*
 * provider_openai.h - translation with an OpenAI-compatible chat completions endpoint
 * (https://platform.openai.com/docs/api-reference/chat).
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_OPENAI_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_OPENAI_H

#include "botd/translation/provider_http.h"

/* Borrows the options' texts and `model`. */
int provider_openai(struct loop *loop, struct metrics *metrics,
                    const struct provider_http_options *options, const char *model,
                    struct provider *ret, struct error *err) MUST_USE;

#endif
