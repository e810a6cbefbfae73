/*
 * transport_smtp.c - mails to a mail server: SMTP (RFC 5321) through libcurl, with STARTTLS and AUTH.
 *
 * Each mail has a connection of its own: a server that closed an idle one cannot make us wonder whether it had
 * taken the mail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/curl_loop.h"
#include "maild/transport.h"

struct transport_smtp {
    struct transport base;
    struct curl_loop *curl;
    const struct maild_config *config;
    struct secret password;
    long use_ssl; /* CURLUSESSL_* */
};

/* What of the mail's text was not sent yet. */
struct upload {
    const char *text;
    size_t size;
};

static size_t upload_read(char *bytes, size_t size, size_t count, void *arg)
{
    struct upload *upload = arg;
    size_t length = MIN(size * count, upload->size);

    memcpy(bytes, upload->text, length);
    upload->text += length;
    upload->size -= length;
    return length;
}

#define SET(option, value) \
    (void)(code == CURLE_OK && (code = curl_easy_setopt(easy, (option), (value))) != CURLE_OK)

/* Where the server is and who we are there. Options are checked as one: the first that fails ends the row. */
static CURLcode set_server(const struct transport_smtp *self, CURL *easy)
{
    const struct maild_config *config = self->config;
    CURLcode code = CURLE_OK;

    SET(CURLOPT_URL, config->smtp_url);
    SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_TIMEOUT_MS, (long)config->smtp_timeout);
    SET(CURLOPT_USE_SSL, self->use_ssl);
    if (config->smtp_ca_file)
        SET(CURLOPT_CAINFO, config->smtp_ca_file);
    if (config->smtp_user) {
        SET(CURLOPT_USERNAME, config->smtp_user);
        SET(CURLOPT_PASSWORD, (const char *)self->password.bytes);
    }
    return code;
}

static CURLcode set_mail(CURL *easy, const struct mail *mail, struct curl_slist *recipients,
                         struct upload *upload)
{
    CURLcode code = CURLE_OK;

    SET(CURLOPT_MAIL_FROM, mail->from);
    SET(CURLOPT_MAIL_RCPT, recipients);
    SET(CURLOPT_UPLOAD, 1L);
    SET(CURLOPT_READFUNCTION, upload_read);
    SET(CURLOPT_READDATA, upload);
    return code;
}

/* NOOP: libcurl greets, takes STARTTLS and signs in before it. */
static CURLcode set_nothing_to_send(CURL *easy)
{
    CURLcode code = CURLE_OK;

    SET(CURLOPT_CUSTOMREQUEST, "NOOP");
    SET(CURLOPT_NOBODY, 1L);
    return code;
}
#undef SET

/* What curl's verdict means for the message. A 5xx answer to its sender, its recipient or its text is final;
 * trouble with the connection, TLS or our own sign-in is not the message's fault. */
static enum transport_outcome classify(CURL *easy, CURLcode code, char reason[TRANSPORT_REASON_MAX])
{
    long answer = 0;
    curl_off_t sent = 0;

    if (code == CURLE_OK)
        return TRANSPORT_SENT;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer);
    curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    if (code != CURLE_LOGIN_DENIED && code != CURLE_SEND_ERROR && code != CURLE_WEIRD_SERVER_REPLY)
        answer = 0;
    if (answer > 0)
        snprintf(reason, TRANSPORT_REASON_MAX, "smtp: answered %ld", answer);
    else
        snprintf(reason, TRANSPORT_REASON_MAX, "smtp: %s", curl_easy_strerror(code));

    bool about_message = code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && sent > 0);
    bool about_us = answer == 530 || answer == 534 || answer == 535 || answer == 538;

    return about_message && !about_us && answer >= 500 && answer < 600 ? TRANSPORT_REFUSED
                                                                       : TRANSPORT_RETRY;
}

static enum transport_outcome smtp_send(struct transport *base, const struct mail *mail,
                                        int64_t deadline_mono_ms, char reason[TRANSPORT_REASON_MAX])
{
    struct transport_smtp *self = (struct transport_smtp *)base;
    CLEANUP(curl_loop_free_list) struct curl_slist *recipients = curl_slist_append(NULL, mail->to);
    CLEANUP(curl_loop_free_easy) CURL *easy = curl_easy_init();
    struct upload upload = {mail->text, strlen(mail->text)};
    struct error err;
    CURLcode code;

    if (!recipients || !easy)
        log_die("mail", "out of memory");
    error_init(&err, NULL);
    code = set_server(self, easy);
    if (code == CURLE_OK)
        code = set_mail(easy, mail, recipients, &upload);
    if (code == CURLE_OK &&
        curl_loop_perform(self->curl, easy, deadline_mono_ms, &code, &err) < 0) {
        snprintf(reason, TRANSPORT_REASON_MAX, "smtp: %.80s", err.message);
        return TRANSPORT_RETRY;
    }
    return classify(easy, code, reason);
}

/* How to mend what curl calls that. NULL: it cannot be reached. */
static const char *advice(CURLcode code)
{
    switch (code) {
    case CURLE_USE_SSL_FAILED:
        return "The server offers no STARTTLS: let it, or use smtps://; smtp_starttls = \"try\" is "
               "for servers on this host only.";
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CONNECT_ERROR:
        return "The server's certificate must bear the name in smtp_url and chain to smtp_ca_file, "
               "or to the system's.";
    case CURLE_LOGIN_DENIED:
        return "Correct smtp_user and smtp_password_file.";
    case CURLE_COULDNT_RESOLVE_HOST:
        return "Correct the host in smtp_url, or this host's resolver.";
    default:
        return NULL;
    }
}

static int smtp_check(struct transport *base, const struct request *req, struct finding *ret,
                      struct error *err)
{
    struct transport_smtp *self = (struct transport_smtp *)base;
    const char *url = self->config->smtp_url;
    CLEANUP(curl_loop_free_easy) CURL *easy = curl_easy_init();
    long answer = 0;
    CURLcode code;

    if (!easy)
        log_die("mail", "out of memory");
    code = set_server(self, easy);
    if (code == CURLE_OK)
        code = set_nothing_to_send(easy);
    if (code == CURLE_OK &&
        curl_loop_perform(self->curl, easy, req->deadline_mono_ms, &code, err) < 0)
        return check_fail(req, ret, NULL, "%s: %s", url, err->message);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer);
    if (code != CURLE_OK)
        return check_fail(req, ret, advice(code), "%s: %s (last answer %ld)", url,
                          curl_easy_strerror(code), answer);
    return check_ok(req, ret, "%s is ready for mail", url);
}

static void smtp_destroy(struct transport *base)
{
    struct transport_smtp *self = (struct transport_smtp *)base;

    curl_loop_destroy(&self->curl);
    secret_wipe(&self->password);
    free(self);
}

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

struct transport *transport_smtp_new(struct loop *loop, const struct maild_config *config,
                                     struct error *err)
{
    struct transport_smtp *self;
    long use_ssl = CURLUSESSL_ALL;

    if (!config->smtp_url || (strncmp(config->smtp_url, "smtp://", 7) != 0 &&
                              strncmp(config->smtp_url, "smtps://", 8) != 0)) {
        error_set(err, ERR_INTERNAL, "smtp_url must be smtp://host:port or smtps://host:port");
        return NULL;
    }
    if (!config->smtp_user != !config->smtp_password_file) {
        error_set(err, ERR_INTERNAL, "smtp_user and smtp_password_file go together");
        return NULL;
    }
    if (use_ssl_of(config->smtp_starttls, &use_ssl, err) < 0)
        return NULL;
    self = calloc(1, sizeof(*self));
    if (!self)
        log_die("mail", "out of memory");
    self->base =
        (struct transport){.send = smtp_send, .check = smtp_check, .destroy = smtp_destroy};
    self->config = config;
    self->use_ssl = use_ssl;
    if (config->smtp_password_file &&
        secret_load_text(config->smtp_password_file, &self->password, err) < 0) {
        free(self);
        return NULL;
    }
    self->curl = curl_loop_new(loop);
    return &self->base;
}
