/* smtp_server.c - see smtp_server.h. */
#include "maild/smtp_server.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "maild/maild.h"

/* `server` must be first. */
struct shared_server {
    struct smtp_server server;
    atomic_int users;
};

static int use_ssl_of(const char *word, long *ret, struct error *err)
{
    if (strcmp(word, "require") == 0)
        *ret = CURLUSESSL_ALL;
    else if (strcmp(word, "try") == 0)
        *ret = CURLUSESSL_TRY;
    else if (strcmp(word, "none") == 0)
        *ret = CURLUSESSL_NONE;
    else
        return error_set(err, ERR_INTERNAL, "smtp_starttls must be none, try or require");
    return 0;
}

int smtp_server_read(const struct maild_config *config, bool check_only, struct smtp_server *ret,
                     struct error *err)
{
    *ret = (struct smtp_server){.url = config->smtp_url,
                                .user = config->smtp_user,
                                .ca_file = config->smtp_ca_file,
                                .use_ssl = CURLUSESSL_ALL};
    if (!ret->url ||
        (strncmp(ret->url, "smtp://", 7) != 0 && strncmp(ret->url, "smtps://", 8) != 0))
        return error_set(err, ERR_INTERNAL,
                         "smtp_url must be smtp://host:port or smtps://host:port");
    if (!config->smtp_user != !config->smtp_password_file)
        return error_set(err, ERR_INTERNAL, "smtp_user and smtp_password_file go together");
    if (use_ssl_of(config->smtp_starttls, &ret->use_ssl, err) < 0)
        return -1;
    if (config->smtp_password_file && !check_only)
        return secret_load_text(config->smtp_password_file, &ret->password, err);
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool smtp_server_equal(const struct smtp_server *a, const struct smtp_server *b)
{
    return same_text(a->url, b->url) && same_text(a->user, b->user) &&
           same_text(a->ca_file, b->ca_file) && a->use_ssl == b->use_ssl &&
           a->password.length == b->password.length &&
           memcmp(a->password.bytes, b->password.bytes, a->password.length) == 0;
}

static struct shared_server *shared(const struct smtp_server *self)
{
    return (struct shared_server *)(uintptr_t)self;
}

static void free_text(const char *text)
{
    free((char *)(uintptr_t)text);
}

const struct smtp_server *smtp_server_share(const struct smtp_server *self)
{
    struct shared_server *made = memory_new(sizeof(*made));

    made->server = *self;
    made->server.url = memory_text(self->url);
    made->server.user = memory_text(self->user);
    made->server.ca_file = memory_text(self->ca_file);
    atomic_init(&made->users, 1);
    return &made->server;
}

const struct smtp_server *smtp_server_ref(const struct smtp_server *self)
{
    atomic_fetch_add(&shared(self)->users, 1);
    return self;
}

void smtp_server_unref(const struct smtp_server **self_p)
{
    struct shared_server *self = shared(*self_p);

    *self_p = NULL;
    if (!self || atomic_fetch_sub(&self->users, 1) > 1)
        return;
    secret_wipe(&self->server.password);
    free_text(self->server.url);
    free_text(self->server.user);
    free_text(self->server.ca_file);
    free(self);
}
