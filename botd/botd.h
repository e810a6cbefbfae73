/*
 * botd.h - what the files of botd share.
 *
 * botd keeps the bots of each project and executes them, and translates texts.  Handlers are one
 * file per subject; who may call them is in botd_routes.def, what they ask PostgreSQL in botd/sql.
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
    const char *bot_dir;         /* the files of program bots */
    int64_t programs, warm;      /* processes at the same time; warm ones of one bot */
    const char *sandbox;         /* "auto", "bubblewrap", "kernel" */
    int64_t sandbox_trial;       /* ms */
    const char **allow_networks; /* closed networks that http bots may be in */
    bool allow_plain_http;
    const char *translation_provider, *translation_url, *translation_model, *translation_key_file;
    int64_t translation_timeout;
    bool translation_plain_http;
    const char *apertium_dir;
    bool apertium_trial;
    int64_t apertium_pipelines;
    int64_t translation_daily_characters;                        /* of a project; 0: any number */
    int64_t translation_memory_entries, translation_memory_size; /* of a project; 0 entries: off */
};

struct botd {
    struct service svc;
    const struct botd_config *config;
    struct network_rules networks; /* that http bots may be in */
    struct curl_loop *curl;
    struct cgroups *groups; /* NULL: none */
    struct sandbox *sandbox;
    struct programs *programs;
    struct provider provider;     /* of translations */
    struct fiber_sem translating; /* bytes of texts of the requests under way */
    uint64_t *translated_items[3], *translations_refused, *texts_recalled, *texts_asked;
    struct uuid trimmed_project, trimmed_bot; /* where the trimming of executions goes on */
};

/* check.c */
extern const struct check botd_checks[];

/* check.c: programs_check(), and notes its verdict for `status`. Parks. */
int sandbox_check(struct botd *d, struct error *err) MUST_USE;

/* translate.c: at start. The error is for the operator. */
int translate_open(struct botd *d, struct error *err) MUST_USE;

/* provider.c: what is wrong with the configuration of the provider, and the provider that it
 * names. */
int provider_check(const struct botd_config *config, struct error *err) MUST_USE;
int provider_open(const struct botd *d, struct provider *ret, struct error *err) MUST_USE;

/* sweep.c: forgets executions that are too old or too many. For service_every(). */
int sweep_run(void *daemon, const struct request *req, struct error *err);

#define SERVICE botd
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

#endif
