/*
 * provider_libretranslate.h - translation by a server of LibreTranslate
 * (https://docs.libretranslate.com), for the pairs of languages that it has.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_LIBRETRANSLATE_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_LIBRETRANSLATE_H

#include "botd/translation/provider_http.h"

/* Texts of the options are borrowed. The error is for the operator. */
int provider_libretranslate(struct loop *loop, struct metrics *metrics,
                            const struct provider_http_options *options, struct provider *ret,
                            struct error *err) MUST_USE;

#endif
