/*
 * botd.h - what the files of botd share. botd stores and runs projects' bots, and translates texts.
 */
#ifndef ATRIUM_BOTD_BOTD_H
#define ATRIUM_BOTD_BOTD_H

#include "botd/translation/provider.h"
#include "common/bus/method.h"
#include "common/runtime/fiber_sem.h"
#include "common/service/network.h"
#include "common/service/service.h"

struct botd_config {
    struct database_config db;
    const char *seal_key;
    const char *bot_dir;         /* program bots' files */
    int64_t programs, warm;      /* warm: per bot */
    const char *sandbox;         /* "auto", "bubblewrap", "kernel" */
    int64_t sandbox_trial;       /* ms */
    const char **allow_networks; /* private networks for http bots */
    bool allow_plain_http;
    const char *translation_provider, *translation_url, *translation_model, *translation_key_file;
    int64_t translation_timeout;
    bool translation_plain_http;
    const char *apertium_dir;
    bool apertium_trial;
    int64_t apertium_pipelines;
    int64_t translation_daily_characters;                        /* 0: no limit */
    int64_t translation_memory_entries, translation_memory_size; /* 0 entries: disabled */
};

struct botd {
    struct service svc;
    const struct botd_config *config;
    struct network_rules networks;
    struct curl_loop *curl;
    struct cgroups *groups; /* NULL: none */
    struct sandbox *sandbox;
    struct programs *programs;
    struct provider provider;
    struct fiber_sem translating; /* bytes of texts in progress */
    uint64_t *translated_items[3], *translations_refused, *texts_recalled, *texts_asked;
    struct uuid trimmed_project, trimmed_bot; /* where trimming continues */
};

extern const struct check botd_checks[];

/* Tests the sandbox and notes for `atriumctl status` which one is used (check.c). Parks. */
int sandbox_check(struct botd *d, struct error *err) MUST_USE;

/* Called at start (translate.c). The error is for the operator. */
int translate_open(struct botd *d, struct error *err) MUST_USE;

/* Checks the configuration; provider_open() creates the provider (provider.c). */
int provider_check(const struct botd_config *config, struct error *err) MUST_USE;
int provider_open(const struct botd *d, struct provider *ret, struct error *err) MUST_USE;

/* Deletes old and excess executions (sweep.c). A task of service_every(). */
int sweep_run(void *daemon, const struct request *req, struct error *err);

#define SERVICE botd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

#endif
