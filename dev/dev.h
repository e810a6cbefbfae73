/*
 * dev.h - the development suite that atrium-dev runs: what its files share.
 *
 *   dev.c         the order of things: up, ready, wait, down
 *   dev_config.c  the command line, and DIR/atrium.conf made of it
 *   dev_ready.c   does everything answer?
 *   dev_show.c    what is printed when it does
 *   dev_mail.c    the page of captured emails
 *   suite_dir.c ports.c postgres.c supervise.c demo.c devjson.c know nothing of this struct
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

    /* what was asked for */
    int port;
    bool demo_wanted;
    const char *smtp;      /* HOST:PORT or NULL */
    const char *bot_allow; /* networks that http bots may be in, or NULL */
    int64_t max_upload;    /* bytes; 0: docd's default */
    const char *s3_url, *s3_key, *s3_secret, *s3_bucket; /* all, or NULL: files */
    const char *database;   /* libpq's words for a server that runs already, or NULL: its own */
    const char *set;        /* "botd.warm=2,...": further settings of daemons, or NULL */
    const char *clock_file; /* NULL without --test-clock */
    struct daemon daemons[DAEMONS_MAX];
    size_t daemon_count;

    struct suite_dir dir;
    struct gateway_site gateways[INSTANCES_MAX];
    size_t gateway_count;
    const char *config_file, *json_file, *base_url;
    const char *public_url; /* of the pages: passkeys need a name of the host */

    struct supervisor *supervisor;
    struct postgres postgres;
    struct ctl_bus *bus; /* while the suite comes up */
    struct demo demo;
    struct devjson json;
    struct fiber *main;           /* that a signal wakes */
    struct timespec mail_changed; /* of DIR/mail, when the page of emails was written */
    bool ready, stopping;
    int result;
    struct error *err;
};

/* ---- dev_config.c ---- */

/* Reads which daemons to run, and how many of each. After suite_dir_open(). */
int dev_config_daemons(struct dev *self, const struct arguments *args, struct error *err) MUST_USE;

int dev_config_options(struct dev *self, const struct arguments *args, struct error *err) MUST_USE;

/* Writes DIR/atrium.conf and the keys in it. */
int dev_config_write(const struct dev *self, struct error *err) MUST_USE;

/* ---- dev_ready.c ---- */

/* Parks until every instance and every gateway answers. */
int dev_ready_wait(struct dev *self, struct error *err) MUST_USE;

/* -1: interrupted, or a child dies repeatedly before the suite is up. */
int dev_ready_check(struct dev *self, struct error *err) MUST_USE;

/* ---- dev_show.c ---- */

void dev_show(const struct dev *self);

/* ---- dev_mail.c ---- */

/* Writes the page of the captured emails anew, if there are others than before. */
void dev_mail_refresh(struct dev *self);

#endif
