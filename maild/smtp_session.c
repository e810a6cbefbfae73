/*
 * smtp_session.c - see smtp_session.h. libcurl blocks at the end of a body, where it calls
 * on_progress() once a second, and can block in QUIT: that is sent only outside a transfer, with
 * the socket's reading side shut down.
 */
#include "maild/smtp_session.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/curl_loop.h"

enum { MAILS_MAX = 100 /* per connection */ };

struct smtp_session {
    const struct smtp_server *server; /* NULL: not connected */
    CURL *easy;                       /* libcurl's handle, which keeps the connection */
    int mails;
};

struct sending {
    const struct smtp_hooks *hooks;
    int64_t deadline_mono_ms;
    const char *text;
    size_t size;               /* not sent yet */
    bool handed_over, refused; /* answer of hand_over() */
    bool ended; /* libcurl has read the whole text: the server may get its last line */
};

/* ---- callbacks of libcurl ---- */

static size_t on_read(char *bytes, size_t size, size_t count, void *arg)
{
    struct sending *self = arg;
    size_t length = MIN(size * count, self->size);

    if (!self->handed_over && !self->refused) {
        self->handed_over = self->hooks->hand_over(self->hooks->arg);
        self->refused = !self->handed_over;
    }
    if (self->refused || clock_mono_ms() > self->deadline_mono_ms ||
        self->hooks->is_cancelled(self->hooks->arg))
        return CURL_READFUNC_ABORT;
    memcpy(bytes, self->text, length);
    self->text += length;
    self->size -= length;
    self->ended = length == 0;
    return length;
}

static int on_progress(void *arg, curl_off_t down_total UNUSED, curl_off_t down UNUSED,
                       curl_off_t up_total UNUSED, curl_off_t up UNUSED)
{
    const struct sending *self = arg;

    return clock_mono_ms() > self->deadline_mono_ms || self->hooks->is_cancelled(self->hooks->arg);
}

/* ---- options: after the first failure SET() does nothing ---- */

#define SET(option, value) \
    (void)(code == CURLE_OK && (code = curl_easy_setopt(easy, (option), (value))) != CURLE_OK)

static CURLcode set_server(struct smtp_session *self)
{
    const struct smtp_server *server = self->server;
    CURL *easy = self->easy;
    CURLcode code = CURLE_OK;

    SET(CURLOPT_URL, server->url);
    SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_QUICK_EXIT, 1L); /* does not wait for a silent resolver */
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_USE_SSL, server->use_ssl);
    if (server->ca_file)
        SET(CURLOPT_CAINFO, server->ca_file);
    if (server->user) {
        SET(CURLOPT_USERNAME, server->user);
        SET(CURLOPT_PASSWORD, (const char *)server->password.bytes);
    }
    return code;
}

static CURLcode set_limits(CURL *easy, struct sending *sending)
{
    int64_t left = MAX(sending->deadline_mono_ms - clock_mono_ms(), (int64_t)1);
    CURLcode code = CURLE_OK;

    SET(CURLOPT_TIMEOUT_MS, (long)left);
    SET(CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)(left / 1000 + 1));
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, sending);
    return code;
}

static CURLcode set_mail(CURL *easy, const struct mail *mail, struct curl_slist *recipients,
                         struct sending *sending)
{
    CURLcode code = CURLE_OK;

    SET(CURLOPT_MAIL_FROM, mail->from);
    SET(CURLOPT_MAIL_RCPT, recipients);
    SET(CURLOPT_UPLOAD, 1L);
    SET(CURLOPT_READFUNCTION, on_read);
    SET(CURLOPT_READDATA, sending);
    return code;
}

/* Sends NOOP, before which libcurl greets, starts TLS and signs in. */
static CURLcode set_nothing_to_send(CURL *easy)
{
    CURLcode code = CURLE_OK;

    SET(CURLOPT_CUSTOMREQUEST, "NOOP");
    SET(CURLOPT_NOBODY, 1L);
    return code;
}
#undef SET

/* ---- outcomes ---- */

/* True when the answer is about this email. 421 is about the server, a failed sign-in about this
 * client. */
static bool is_about_mail(const struct sending *sending, CURLcode code, long answer)
{
    bool of_step =
        code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && sending && sending->ended);
    bool about_us =
        answer == 421 || answer == 530 || answer == 534 || answer == 535 || answer == 538;

    return of_step && answer >= 400 && answer < 600 && !about_us;
}

/* Classifies an outcome. Once the server may have the email, only its answer counts. Before that,
 * connection, TLS and sign-in failures are not the email's fault. */
static void classify(CURL *easy, const struct sending *sending, CURLcode code,
                     struct smtp_result *ret)
{
    long answer = 0;
    bool about_mail;

    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer);
    *ret = (struct smtp_result){.code = (int)code, .answer = answer};
    if (code == CURLE_OK) {
        ret->outcome = TRANSPORT_SENT;
        return;
    }
    if (sending && sending->refused) {
        ret->outcome = TRANSPORT_UNREACHED;
        ret->denied = true;
        snprintf(ret->reason, sizeof(ret->reason), "not handed over: its row could not be marked");
        return;
    }
    about_mail = is_about_mail(sending, code, answer);
    if (answer >= 400)
        snprintf(ret->reason, sizeof(ret->reason), "smtp: answered %ld", answer);
    else
        snprintf(ret->reason, sizeof(ret->reason), "smtp: %s", curl_easy_strerror(code));
    if (about_mail)
        ret->outcome = answer >= 500 ? TRANSPORT_REFUSED : TRANSPORT_RETRY;
    else if (sending && sending->ended && answer < 400)
        ret->outcome = TRANSPORT_UNKNOWN;
    else
        ret->outcome = TRANSPORT_UNREACHED;
}

/* ---- the connection ---- */

static CURLcode open_easy(struct smtp_session *self, const struct smtp_server *server)
{
    if (self->easy)
        return CURLE_OK;
    self->mails = 0;
    self->server = smtp_server_ref(server);
    self->easy = curl_easy_init();
    if (!self->easy)
        log_die("mail", "out of memory");
    return set_server(self);
}

/* Returns the connection's socket, or CURL_SOCKET_BAD. */
static curl_socket_t kept_socket(const struct smtp_session *self)
{
    curl_socket_t fd = CURL_SOCKET_BAD;

    if (self->easy && curl_easy_getinfo(self->easy, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK)
        return CURL_SOCKET_BAD;
    return fd;
}

/* Sends QUIT without waiting. */
static void close_easy(struct smtp_session *self)
{
    curl_socket_t fd = kept_socket(self);

    if (fd != CURL_SOCKET_BAD)
        shutdown(fd, SHUT_RD);
    curl_easy_cleanup(TAKE_PTR(self->easy));
    smtp_server_unref(&self->server);
}

struct smtp_session *smtp_session_new(void)
{
    struct smtp_session *self = memory_new(sizeof(*self));

    return self;
}

void smtp_session_destroy(struct smtp_session **self_p)
{
    struct smtp_session *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    close_easy(self);
    free(self);
}

void smtp_session_rest(struct smtp_session *self, bool idle)
{
    if (self->easy && (idle || self->mails >= MAILS_MAX))
        close_easy(self);
}

/* ---- sending ---- */

/* True when a reused connection failed before the hand-over: the server may have closed it. */
static bool try_to_send(struct smtp_session *self, const struct smtp_server *server,
                        const struct mail *mail, int64_t deadline_mono_ms,
                        const struct smtp_hooks *hooks, struct smtp_result *ret)
{
    CLEANUP(curl_loop_free_list) struct curl_slist *recipients = curl_slist_append(NULL, mail->to);
    struct sending sending = {.hooks = hooks,
                              .deadline_mono_ms = deadline_mono_ms,
                              .text = mail->text,
                              .size = strlen(mail->text)};
    bool reused = kept_socket(self) != CURL_SOCKET_BAD;
    CURLcode code;

    if (!recipients)
        log_die("mail", "out of memory");
    code = open_easy(self, server);
    if (code == CURLE_OK)
        code = set_limits(self->easy, &sending);
    if (code == CURLE_OK)
        code = set_mail(self->easy, mail, recipients, &sending);
    if (code == CURLE_OK)
        code = curl_easy_perform(self->easy);
    classify(self->easy, &sending, code, ret);
    if (ret->outcome == TRANSPORT_SENT)
        self->mails++;
    else
        close_easy(self);
    return reused && ret->outcome == TRANSPORT_UNREACHED && !sending.handed_over;
}

void smtp_session_send(struct smtp_session *self, const struct smtp_server *server,
                       const struct mail *mail, int64_t deadline_mono_ms,
                       const struct smtp_hooks *hooks, struct smtp_result *ret)
{
    if (self->easy && self->server != server)
        close_easy(self);
    if (try_to_send(self, server, mail, deadline_mono_ms, hooks, ret) &&
        !hooks->is_cancelled(hooks->arg))
        try_to_send(self, server, mail, deadline_mono_ms, hooks, ret);
}

static bool hand_over_nothing(void *arg UNUSED)
{
    return false;
}

void smtp_session_check(const struct smtp_server *server, int64_t deadline_mono_ms,
                        const struct smtp_hooks *hooks, struct smtp_result *ret)
{
    CLEANUP(smtp_session_destroy) struct smtp_session *self = smtp_session_new();
    const struct smtp_hooks nothing = {hand_over_nothing, hooks->is_cancelled, hooks->arg};
    struct sending sending = {.hooks = &nothing, .deadline_mono_ms = deadline_mono_ms};
    CURLcode code = open_easy(self, server);

    if (code == CURLE_OK)
        code = set_limits(self->easy, &sending);
    if (code == CURLE_OK)
        code = set_nothing_to_send(self->easy);
    if (code == CURLE_OK)
        code = curl_easy_perform(self->easy);
    classify(self->easy, NULL, code, ret);
}
