/*
 * provider_openai.h - translation by a language model behind an OpenAI-compatible chat completions
 * endpoint (https://platform.openai.com/docs/api-reference/chat), whose answer is JSON and is held
 * against what was asked.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_OPENAI_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_OPENAI_H

#include "botd/translation/provider_http.h"

/* Texts of the options and `model` are borrowed. The error is for the operator. */
int provider_openai(struct loop *loop, struct metrics *metrics,
                    const struct provider_http_options *options, const char *model,
                    struct provider *ret, struct error *err) MUST_USE;

#endif
