/*
 * dev.h - what the files of atrium-dev share.
 *
 *   dev.c         the order: start, ready, wait, stop
 *   dev_config.c  the command line, and DIR/atrium.conf
 *   dev_ready.c   waits until everything answers
 *   dev_show.c    what is then printed
 *   dev_mail.c    the page of captured emails
 *   suite_dir.c ports.c postgres.c supervise.c demo.c devjson.c do not use this struct
 */
#ifndef ATRIUM_DEV_DEV_H
#define ATRIUM_DEV_DEV_H

#include "ctl/ctl.h"
#include "dev/demo.h"
#include "dev/devjson.h"
#include "dev/postgres.h"
#include "dev/suite_dir.h"
#include "dev/supervise.h"

enum { DAEMONS_MAX = 8, INSTANCES_MAX = 16 };

struct daemon {
    const char *name, *program;
    size_t instances;
};

struct gateway_site {
    int public_socket, admin_socket;
    int admin_port;
};

struct dev {
    struct arena *arena;
    struct loop *loop;

    int port;
    bool demo_wanted;
    const char *smtp;                                    /* HOST:PORT or NULL */
    const char *bot_allow;                               /* networks of http bots; NULL: none */
    int64_t max_upload;                                  /* 0: docd's default */
    const char *s3_url, *s3_key, *s3_secret, *s3_bucket; /* all set, or NULL: files */
    const char *database; /* connection string of an existing server; NULL: the suite has its own */
    const char *set;      /* "botd.warm=2,...": more settings; NULL: none */
    const char *clock_file; /* NULL without --test-clock */
    struct daemon daemons[DAEMONS_MAX];
    size_t daemon_count;

    struct suite_dir dir;
    struct gateway_site gateways[INSTANCES_MAX];
    size_t gateway_count;
    const char *config_file, *json_file, *base_url;
    const char *public_url; /* for hosted pages: passkeys need a host name */

    struct supervisor *supervisor;
    struct postgres postgres;
    struct ctl_bus *bus; /* only until the suite is ready */
    struct demo demo;
    struct devjson json;
    struct fiber *main; /* signals wake it */
    struct timespec mail_changed;
    bool ready, stopping;
    int result;
    struct error *err;
};

/* ---- dev_config.c ---- */

/* Chooses the daemons and how many instances each has. Call it after suite_dir_open(). */
int dev_config_daemons(struct dev *self, const struct arguments *args, struct error *err) MUST_USE;

int dev_config_options(struct dev *self, const struct arguments *args, struct error *err) MUST_USE;

int dev_config_write(const struct dev *self, struct error *err) MUST_USE;

/* ---- dev_ready.c ---- */

/* Parks until every instance and every gateway answers. */
int dev_ready_wait(struct dev *self, struct error *err) MUST_USE;

/* Checks that the start can go on. -1: interrupted, or a child keeps dying. */
int dev_ready_check(struct dev *self, struct error *err) MUST_USE;

/* ---- dev_show.c ---- */

void dev_show(const struct dev *self);

/* ---- dev_mail.c ---- */

/* Adds new emails to the page. */
void dev_mail_refresh(struct dev *self);

#endif
