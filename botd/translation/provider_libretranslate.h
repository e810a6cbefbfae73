/*
 * provider_libretranslate.h - translation with LibreTranslate (https://docs.libretranslate.com).
 */
#ifndef ATRIUM_BOTD_TRANSLATION_PROVIDER_LIBRETRANSLATE_H
#define ATRIUM_BOTD_TRANSLATION_PROVIDER_LIBRETRANSLATE_H

#include "botd/translation/provider_http.h"

/* Borrows the options' texts. */
int provider_libretranslate(struct loop *loop, struct metrics *metrics,
                            const struct provider_http_options *options, struct provider *ret,
                            struct error *err) MUST_USE;

#endif
