/* provider.c - opens the configured provider. */
#include <string.h>

#include "botd/botd.h"
#include "botd/translation/provider_apertium.h"
#include "botd/translation/provider_libretranslate.h"
#include "botd/translation/provider_openai.h"

static bool is_named(const struct botd_config *config, const char *name)
{
    return strcmp(config->translation_provider, name) == 0;
}

static struct provider_http_options http_options(const struct botd_config *config)
{
    return (struct provider_http_options){.url = config->translation_url,
                                          .key_file = config->translation_key_file,
                                          .timeout_ms = config->translation_timeout,
                                          .plain = config->translation_plain_http};
}

int provider_check(const struct botd_config *config, struct error *err)
{
    const struct provider_http_options http = http_options(config);

    if (is_named(config, "apertium")) {
        if (config->translation_url || config->translation_key_file)
            return error_set(err, ERR_INTERNAL,
                             "translation_url and translation_key_file are not for apertium");
        return 0;
    }
    if (is_named(config, "openai") != (config->translation_model != NULL))
        return error_set(
            err, ERR_INTERNAL,
            "translation_model belongs to translation_provider openai, which needs it");
    return provider_http_check(&http, err);
}

int provider_open(const struct botd *d, struct provider *ret, struct error *err)
{
    const struct provider_http_options http = http_options(d->config);
    const struct apertium_options apertium = {.data_dir = d->config->apertium_dir,
                                              .pipelines_max =
                                                  (size_t)d->config->apertium_pipelines,
                                              .trial = d->config->apertium_trial};

    provider_http_make_metrics(d->svc.metrics);
    if (is_named(d->config, "libretranslate"))
        return provider_libretranslate(d->svc.loop, d->svc.metrics, &http, ret, err);
    if (is_named(d->config, "openai"))
        return provider_openai(d->svc.loop, d->svc.metrics, &http, d->config->translation_model,
                               ret, err);
    *ret = provider_apertium(d->svc.loop, d->svc.metrics, d->programs, &apertium);
    return 0;
}
