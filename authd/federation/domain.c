/*
 * domain.c - see domain.h.
 */
#include "authd/federation/domain.h"

#include <inttypes.h>
#include <string.h>
#include <syslog.h>

#include "authd/account/mail_domain.h"
#include "authd/federation/dns_text.h"
#include "authd/federation/domain_api.h"
#include "authd/mail.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/domain.h"
#include "authd/sql/lock.h"
#include "authd/tenant.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/secret.h"
#include "common/service/audit.h"
#include "settingsd/tenant_api.h"

#define RECORD_NAME "_atrium."
#define RECORD_VALUE "atrium-domain-verification="
#define TOKEN_LIFE DAYS(7)
#define CHECK_PERIOD DAYS(1)
#define MISSING_MAX DAYS(7) /* then the domain is lost */

enum { TOKEN_BYTES = 16 /* 128 random bits */, CHECKS_AT_ONCE = 10 };

static struct sql_audit domain_audit(const struct request *req, const char *action,
                                     struct uuid project, const char *domain)
{
    return audit_row(req, &(struct audit){.action = action, .project = project, .detail = domain});
}

static const char *record_name(struct arena *arena, const char *domain)
{
    return arena_printf(arena, RECORD_NAME "%s", domain);
}

/* Returns the domain of a path in its stored spelling. If it is not a domain, returns "", which no
 * project has. */
static const char *spelled(const struct request *req, const char *text)
{
    const char *domain = fields_domain(req->arena, text);

    return domain ? domain : "";
}

static int find(struct authd *d, const struct request *req, const char *text,
                struct project_domain *ret, struct error *err)
{
    const struct sql_domain_get_in get = {
        .project = request_project(req), .domain = spelled(req, text), .now = req->now_ms};

    return sql_require(sql_domain_get(d->svc.db, req, &get, ret, err), err, ERR_NOT_FOUND,
                       "Domain not found.");
}

int project_domains(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                    struct project_domain_list *out, struct error *err)
{
    const struct sql_domain_list_in list = {.project = request_project(req), .now = req->now_ms};

    return sql_domain_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

int domain_is_verified(struct authd *d, const struct request *req, struct uuid project,
                       const char *domain, bool *ret, struct error *err)
{
    const struct sql_domain_is_verified_in in = {.project = project, .domain = domain};
    struct sql_domain_is_verified_row row = {.verified = false};

    if (sql_domain_is_verified(d->svc.db, req, &in, &row, err) < 0)
        return -1;
    *ret = row.verified;
    return 0;
}

/* ---- adding and deleting ---- */

/* Addresses of these domains belong to strangers, so no project can speak for all of them. */
static int check_domain(struct authd *d, const struct request *req, const char *text,
                        const char **ret, struct error *err)
{
    *ret = fields_domain(req->arena, text);
    if (!*ret)
        return error_problem(err, "domain", "must be a domain such as clinic.example");
    if (!mail_domains_business(d->mail_domains, req->arena, *ret))
        return error_problem(err, "domain",
                             "must not be a public suffix, or of a provider of mailboxes");
    return 0;
}

static int lock(struct db_tx *tx, const struct request *req, const char *name, struct error *err)
{
    const struct sql_name_lock_in in = {.name = name};

    return sql_name_lock(tx, req, &in, err);
}

/* A domain that is not verified gets a new token. */
int project_domain_add(struct authd *d, const struct request *req,
                       const struct project_domain_in *in, struct project_domain *out,
                       struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_domain_add_in add = {.project = req->caller->project,
                                    .token = secret_random_text(req->arena, TOKEN_BYTES),
                                    .now = req->now_ms,
                                    .expires = req->now_ms + TOKEN_LIFE};

    if (check_domain(d, req, in->domain, &add.domain, err) < 0)
        return -1;
    add.audit = domain_audit(req, "domain.add", add.project, add.domain);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock(tx, req, arena_printf(req->arena, "domains of %s", add.project.text), err) < 0 ||
        sql_require(sql_domain_add(tx, req, &add, out, err), err, ERR_CONFLICT,
                    "The domain is verified already, or the project has 20 domains.") < 0 ||
        step_up_check(d, tx, req, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    return 0;
}

int project_domain_delete(struct authd *d, const struct request *req,
                          const struct project_domain_path_in *in, struct nothing *out UNUSED,
                          struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct sql_domain_delete_in delete = {.project = req->caller->project,
                                          .domain = spelled(req, in->domain)};

    delete.audit = domain_audit(req, "domain.delete", delete.project, delete.domain);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_require(sql_domain_delete(tx, req, &delete, err), err, ERR_NOT_FOUND,
                    "Domain not found.") < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

/* ---- emails ---- */

/* Emails all admins of the project. A failure is logged by the caller's round or request. */
static int tell_admins(struct authd *d, const struct request *req, const char *template,
                       struct uuid project, const char *domain, const char *token,
                       struct error *err)
{
    const struct sql_domain_admin_list_in list = {.project = project};
    struct sql_domain_admin_list_rows rows;

    if (sql_domain_admin_list(d->svc.db, req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_domain_admin_list_row *admin = &rows.items[i];
        const struct mail mail = {
            .template = template,
            .to = admin->email,
            .display = arena_printf(req->arena, "%s %s", admin->name, admin->surname),
            .variables = {{"domain", domain},
                          {"recordName", record_name(req->arena, domain)},
                          {"recordValue",
                           arena_printf(req->arena, RECORD_VALUE "%s", token ? token : "")}}};

        if (mail_queue(d, req, &mail, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the record ---- */

enum record { RECORD_OURS, RECORD_MISSING, RECORD_OTHER, RECORD_SEVERAL, RECORD_ALIAS };

/* Counts only values with our prefix: the name can have other records. */
static enum record judge(const struct dns_text *answer, const char *token)
{
    size_t ours = 0, all = 0;

    if (answer->state != DNS_TEXT_FOUND)
        return answer->state == DNS_TEXT_ALIAS ? RECORD_ALIAS : RECORD_MISSING;
    for (size_t i = 0; i < MIN(answer->count, (size_t)DNS_TEXTS_MAX); i++) {
        const char *value = answer->items[i];

        if (strncmp(value, RECORD_VALUE, strlen(RECORD_VALUE)) != 0)
            continue;
        all++;
        ours += strcmp(value + strlen(RECORD_VALUE), token) == 0;
    }
    if (all > 1 || answer->count > DNS_TEXTS_MAX)
        return RECORD_SEVERAL;
    return all == 0 ? RECORD_MISSING : ours == 1 ? RECORD_OURS : RECORD_OTHER;
}

static int look_up(struct authd *d, const struct request *req, const char *domain,
                   const char *token, enum record *ret, struct error *err)
{
    struct dns_text answer;

    if (dns_text_ask(d->dns, req->arena, d->config->dns_servers, record_name(req->arena, domain),
                     req->deadline_mono_ms, &answer, err) < 0)
        return -1;
    *ret = judge(&answer, token);
    return 0;
}

static int require_record(enum record record, struct error *err)
{
    switch (record) {
    case RECORD_OURS:
        return 0;
    case RECORD_OTHER:
        return error_set(err, ERR_CONFLICT, "The record has another value.");
    case RECORD_SEVERAL:
        return error_set(err, ERR_CONFLICT,
                         "The name has several such records. Keep only this project's.");
    case RECORD_ALIAS:
        return error_set(err, ERR_CONFLICT, "The name is an alias (CNAME), which does not count.");
    case RECORD_MISSING:
        break;
    }
    return error_set(err, ERR_CONFLICT, "The record was not found.");
}

/* ---- verifying ---- */

static int lose(struct db_tx *tx, const struct request *req, struct uuid project,
                const char *domain, struct error *err)
{
    const struct sql_domain_lose_in in = {.project = project,
                                          .domain = domain,
                                          .audit =
                                              domain_audit(req, "domain.lose", project, domain)};

    return sql_domain_lose(tx, req, &in, err);
}

/* Locks the domain, and takes it from the project that has verified it. *ret_former: that project,
 * or unset. */
static int take(struct db_tx *tx, const struct request *req, struct uuid project,
                const char *domain, struct uuid *ret_former, struct error *err)
{
    const struct sql_domain_holder_in in = {.domain = domain};
    struct sql_domain_holder_row holder;
    int found;

    *ret_former = (struct uuid){""};
    if (lock(tx, req, arena_printf(req->arena, "domain %s", domain), err) < 0)
        return -1;
    found = sql_domain_holder(tx, req, &in, &holder, err);
    if (found <= 0 || uuid_equal(&holder.project, &project))
        return found < 0 ? -1 : 0;
    *ret_former = holder.project;
    return lose(tx, req, holder.project, domain, err) < 0 ? -1 : 0;
}

/* Tells the admins of a project that lost a domain to another. The domain is lost in any case, so a
 * failure is only logged. */
static void tell_former(struct authd *d, const struct request *req, struct uuid project,
                        const char *domain)
{
    struct error err;

    error_init(&err, req->arena);
    if (uuid_is_set(&project) &&
        tell_admins(d, req, "DOMAIN_LOST", project, domain, NULL, &err) < 0)
        log_event(LOG_WARNING, "domain", "admins were not told of a lost domain", "detail",
                  err.message, NULL);
}

/* A verified domain stays as it is. */
int project_domain_verify(struct authd *d, const struct request *req,
                          const struct project_domain_path_in *in, struct project_domain *out,
                          struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = req->caller->project, former;
    struct sql_domain_verify_in verify = {.project = project, .now = req->now_ms};
    enum record record;

    if (find(d, req, in->domain, out, err) < 0)
        return -1;
    if (out->verifiedAt != 0)
        return 0;
    if (!out->token || out->expiresAt <= req->now_ms)
        return error_set(err, ERR_CONFLICT,
                         "The record can no longer be used. Add the domain again for a new one.");
    verify.domain = out->domain;
    verify.token = out->token;
    verify.audit = domain_audit(req, "domain.verify", project, out->domain);
    if (look_up(d, req, out->domain, out->token, &record, err) < 0 ||
        require_record(record, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        take(tx, req, project, verify.domain, &former, err) < 0 ||
        sql_require(sql_domain_verify(tx, req, &verify, out, err), err, ERR_CONFLICT,
                    "The domain was changed meanwhile.") < 0 ||
        step_up_check(d, tx, req, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    tell_former(d, req, former, verify.domain);
    return 0;
}

/* The operator has checked by other means who speaks for the domain. */
int operator_domain_verify(struct authd *d, const struct request *req,
                           const struct project_domain_path_in *in, struct project_domain *out,
                           struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = request_project(req), former;
    struct sql_domain_vouch_in vouch = {.project = project, .now = req->now_ms};

    if (check_domain(d, req, in->domain, &vouch.domain, err) < 0)
        return -1;
    vouch.audit = domain_audit(req, "domain.verify", project, vouch.domain);
    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        take(tx, req, project, vouch.domain, &former, err) < 0 ||
        sql_domain_vouch(tx, req, &vouch, out, err) < 0 || db_commit(&tx, err) < 0)
        return -1;
    tell_former(d, req, former, vouch.domain);
    return 0;
}

/* ---- the daily check ---- */

static int lose_after_check(struct authd *d, const struct request *req, struct uuid project,
                            const char *domain, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (tell_admins(d, req, "DOMAIN_LOST", project, domain, NULL, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lose(tx, req, project, domain, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

static int check_one(struct authd *d, const struct request *req,
                     const struct sql_domain_due_row *due, struct error *err)
{
    struct sql_domain_note_in note = {.project = due->project, .domain = due->domain};
    enum record record;

    if (look_up(d, req, due->domain, due->token, &record, err) < 0)
        return err->code == ERR_UNAVAILABLE ? 0 : -1; /* no answer is no evidence */
    if (record == RECORD_OURS)
        return due->missing_since ? sql_domain_note(d->svc.db, req, &note, err) : 0;
    if (due->missing_since && req->now_ms - *due->missing_since >= MISSING_MAX)
        return lose_after_check(d, req, due->project, due->domain, err);
    if (due->missing_since)
        return 0;
    note.missing_since = &req->now_ms;
    if (tell_admins(d, req, "DOMAIN_RECORD_MISSING", due->project, due->domain, due->token, err) <
        0)
        return -1;
    return sql_domain_note(d->svc.db, req, &note, err);
}

int domain_check_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    const struct sql_domain_due_in due = {
        .before = req->now_ms - CHECK_PERIOD, .now = req->now_ms, .most = CHECKS_AT_ONCE};
    struct sql_domain_due_rows rows;

    if (sql_domain_due(d->svc.db, req, &due, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count && !d->svc.stopping; i++)
        if (check_one(d, req, &rows.items[i], err) < 0)
            return -1;
    return 0;
}

int domain_health_check(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err)
{
    struct authd *d = daemon;
    struct sql_domain_count_missing_row row;

    if (sql_domain_count_missing(d->svc.db, req, &row, err) < 0)
        return -1;
    if (row.count == 0)
        return check_ok(req, ret, "all records are there");
    return check_warn(req, ret, NULL, "the DNS records of %" PRId64 " verified domains are missing",
                      row.count);
}
