/*
 * import.c - imports of other systems' accounts: for operators (`atriumctl user import`), and for
 * admins (POST /v1/projects/me/imports). Handlers operator_import, operator_import_end,
 * account_import.
 *
 * A batch of lines is one transaction with one statement. Only operators can declare addresses
 * verified, and existing accounts never change. The file's hash identifies the import, whose
 * committed batches are recorded, so a repeated or parallel import gets the same answers.
 */
#include "authd/sql/import.h"
#include "authd/authd.h"
#include "authd/credential/factor.h"
#include "authd/credential/password.h"
#include "authd/credential/throttle.h"
#include "authd/import/import_line.h"
#include "authd/member/member_api.h"
#include "authd/passkey/passkey_rp.h"
#include "authd/session/step_up_check.h"
#include "authd/tenant.h"
#include "common/runtime/offload.h"
#include "common/service/audit.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    INVITED_MAX = 20,         /* practitioners per request, 150 ms each; see member_create */
    IMPORT_REQUESTS_MAX = 60, /* per project and window */
};
#define IMPORT_WINDOW HOURS(1)
#define IMPORT_KEPT DAYS(7) /* for interrupted imports */

/* A placeholder for each account's id in the audit event. */
static const struct uuid nil = {UUID_NIL};

struct import {
    struct import_batch *batch;
    struct tenant tenant;
    struct passkey_rp patient_rp, practitioner_rp;
    /* The thread reads one of these: */
    struct field_bytes lines; /* NDJSON */
    const char *array;        /* JSON */
    int64_t first_line;
    bool is_array; /* `array` is valid */
    struct import_rows rows;
    const char *passkeys;
};

static struct import_batch *batch_new(const struct authd *d, const struct request *req,
                                      const struct tenant *tenant)
{
    struct import_batch *batch = arena_alloc(req->arena, sizeof(*batch));

    batch->arena = req->arena;
    batch->hash = d->dummy_hash;
    batch->rules = (struct import_rules){
        .now_ms = req->now_ms,
        .patient_policy = uuid_is_set(&tenant->defaultPatientPolicy),
        .practitioner_policy = uuid_is_set(&tenant->defaultPractitionerPolicy)};
    return batch;
}

/* ---- on a thread ---- */

static void run_read(void *arg)
{
    struct import *self = arg;

    if (self->array)
        self->is_array = import_read_array(self->batch, self->array);
    else
        import_read_lines(self->batch, self->lines, self->first_line);
}

static void run_rows(void *arg)
{
    struct import *self = arg;

    self->rows = import_rows(self->batch);
    self->passkeys = import_passkey_rows(self->batch);
}

static int read_batch(struct authd *d, const struct request *req, struct import *self,
                      struct error *err)
{
    return offload_run(d->svc.offload, run_read, self, req->deadline_mono_ms, err);
}

/* Seals on the loop, which owns the keys. */
static int make_rows(struct authd *d, const struct request *req, struct import *self,
                     struct error *err)
{
    for (size_t i = 0; i < self->batch->count; i++) {
        struct import_account *account = &self->batch->items[i];

        if (!account->why && account->totp_size > 0)
            account->totp_sealed =
                factor_seal(d, req, account->id, account->totp, account->totp_size);
    }
    return offload_run(d->svc.offload, run_rows, self, req->deadline_mono_ms, err);
}

/* ---- database ---- */

static int check(struct authd *d, const struct request *req, struct import *self, struct error *err)
{
    const struct sql_import_check_in in = {.project = self->tenant.projectId,
                                           .lines = self->rows.lines,
                                           .roles = self->rows.roles,
                                           .emails = self->rows.emails,
                                           .passkeys = self->passkeys};
    struct sql_import_check_rows rows;

    if (sql_import_check(d->svc.db, req, &in, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count; i++) {
        struct import_account *account = import_find(self->batch, rows.items[i].line);

        if (account)
            import_refuse(account, rows.items[i].existing,
                          "passkeys has one that is in use already");
    }
    return 0;
}

static bool has_passkeys(const struct import_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        if (!batch->items[i].why && batch->items[i].key_count > 0)
            return true;
    }
    return false;
}

/* Makes the valid lines' parameters. */
static int prepare(struct authd *d, const struct request *req, struct import *self,
                   struct error *err)
{
    if (make_rows(d, req, self, err) < 0)
        return -1;
    if (!has_passkeys(self->batch))
        return 0;
    if (check(d, req, self, err) < 0)
        return -1;
    return make_rows(d, req, self, err);
}

/* Returns one row for all accounts; the statement replaces `nil` with each account's id. */
static struct sql_audit import_audit(const struct request *req, const struct import *self)
{
    return audit_row(req,
                     &(struct audit){.action = "account.import",
                                     .project = self->tenant.projectId,
                                     .account = nil,
                                     .type = "Account",
                                     .id = nil,
                                     .detail = self->batch->rules.verified ? "verified" : NULL});
}

static int create(struct db_tx *tx, const struct request *req, struct import *self,
                  struct error *err)
{
    const struct sql_audit audit = import_audit(req, self);
    const struct import_rows *made = &self->rows;
    const struct sql_import_create_in in = {
        .now = req->now_ms,
        .project = self->tenant.projectId,
        .patient_policy = self->tenant.defaultPatientPolicy,
        .practitioner_policy = self->tenant.defaultPractitionerPolicy,
        .lines = made->lines,
        .ids = made->ids,
        .memberships = made->memberships,
        .profiles = made->profiles,
        .roles = made->roles,
        .emails = made->emails,
        .names = made->names,
        .surnames = made->surnames,
        .hashes = made->hashes,
        .created = made->created,
        .totps = made->totps,
        .passkeys = self->passkeys,
        .rp_project = self->patient_rp.project,
        .practitioner_rp_project = self->practitioner_rp.project,
        .verified = self->batch->rules.verified,
        .event = audit.event,
        .nil = nil.text};
    struct sql_import_create_rows rows;

    if (import_good(self->batch) == 0)
        return 0;
    if (sql_import_create(tx, req, &in, &rows, err) < 0) {
        if (err->code != ERR_CONFLICT)
            return -1;
        error_clear(err); /* another new account got the address or passkey meanwhile */
        return error_retry(err, ERR_UNAVAILABLE, 1,
                           "An account was changed by another request. Please try again.");
    }
    for (size_t i = 0; i < rows.count; i++) {
        struct import_account *account = import_find(self->batch, rows.items[i].line);

        if (account)
            import_refuse(account, true, NULL);
    }
    return 0;
}

/* ---- operators ---- */

static void answer(const struct import_batch *batch, struct operator_import_out *out)
{
    out->imported = (int64_t)import_good(batch);
    out->lines = import_refusals(batch);
}

static int answer_again(struct db_tx *tx, const struct request *req,
                        const struct operator_import_in *in, struct import *self,
                        struct operator_import_out *out, struct error *err)
{
    const struct sql_import_batch_get_in get = {.import = in->import, .first_line = in->firstLine};
    struct sql_import_batch_get_rows rows;
    struct import_refusal *items;
    size_t count = 0;

    if (sql_import_batch_get(tx, req, &get, &rows, err) < 0)
        return -1;
    if (rows.count == 0) /* another command just ended the import */
        return error_retry(err, ERR_UNAVAILABLE, 1, "The import has just ended. Please try again.");
    items = arena_calloc(req->arena, rows.count, sizeof(*items));
    for (size_t i = 0; i < rows.count; i++) {
        const struct sql_import_batch_get_row *row = &rows.items[i];
        const struct import_account *account =
            row->line ? import_find(self->batch, *row->line) : NULL;

        if (row->line)
            items[count++] = (struct import_refusal){.line = *row->line,
                                                     .email = account ? account->email : NULL,
                                                     .existing = row->existing == TRISTATE_TRUE,
                                                     .why = row->why};
    }
    out->imported = rows.items[0].created;
    out->lines = (struct field_list){items, count};
    return 0;
}

static int complete(struct db_tx *tx, const struct request *req,
                    const struct operator_import_in *in, const struct import *self,
                    struct error *err)
{
    const struct sql_import_batch_complete_in complete = {
        .import = in->import,
        .first_line = in->firstLine,
        .created = (int64_t)import_good(self->batch),
        .refusals = import_refusal_rows(self->batch)};

    return MIN(sql_import_batch_complete(tx, req, &complete, err), 0);
}

static int commit(struct db_tx **tx_p, const struct request *req, struct error *err)
{
    const struct sql_import_note_in note = {.now = req->now_ms};

    return sql_import_note(*tx_p, req, &note, err) < 0 ? -1 : db_commit(tx_p, err);
}

static int commit_batch(struct authd *d, const struct request *req,
                        const struct operator_import_in *in, struct import *self,
                        struct operator_import_out *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_import_batch_begin_in begin = {
        .import = in->import, .first_line = in->firstLine, .expires_at = req->now_ms + IMPORT_KEPT};
    int begun;

    if (prepare(d, req, self, err) < 0 || db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0)
        return -1;
    begun = sql_import_batch_begin(tx, req, &begin, err);
    if (begun < 0)
        return -1;
    if (begun == 0)
        return answer_again(tx, req, in, self, out, err);
    if (create(tx, req, self, err) < 0 || complete(tx, req, in, self, err) < 0 ||
        commit(&tx, req, err) < 0)
        return -1;
    answer(self->batch, out);
    return 0;
}

static int rehearse(struct authd *d, const struct request *req, struct import *self,
                    struct operator_import_out *out, struct error *err)
{
    if (make_rows(d, req, self, err) < 0 || check(d, req, self, err) < 0)
        return -1;
    answer(self->batch, out);
    out->addresses = import_addresses(self->batch);
    return 0;
}

/* Finds the roles' relying parties. If a role has no application, its lines with passkeys are
 * rejected. */
static void find_rps(struct authd *d, const struct request *req, struct import *self)
{
    struct import_rules *rules = &self->batch->rules;
    struct error ignored;

    error_init(&ignored, req->arena);
    if (passkey_rp_find(d, req, &self->tenant, ROLE_PATIENT, &self->patient_rp, &ignored) == 0)
        rules->patient_rp_id = self->patient_rp.id;
    error_clear(&ignored);
    if (passkey_rp_find(d, req, &self->tenant, ROLE_PRACTITIONER, &self->practitioner_rp,
                        &ignored) == 0)
        rules->practitioner_rp_id = self->practitioner_rp.id;
}

int operator_import(struct authd *d, const struct request *req, const struct operator_import_in *in,
                    struct operator_import_out *out, struct error *err)
{
    CLEANUP(import_batch_wipe) struct import_batch *batch = NULL;
    const struct tenant_lookup_in which = {.projectId = in->projectId};
    struct import self = {.lines = in->lines, .first_line = in->firstLine};

    if (in->import.size != IMPORT_ID_SIZE)
        return error_problem(err, "import", "must be %d bytes", IMPORT_ID_SIZE);
    if (settingsd_tenant_lookup(d->svc.bus, req, &which, &self.tenant, err) < 0)
        return -1;
    batch = self.batch = batch_new(d, req, &self.tenant);
    batch->rules.verified = in->verified;
    find_rps(d, req, &self);
    if (read_batch(d, req, &self, err) < 0)
        return -1;
    if (batch->over)
        return error_problem(err, "lines", "must be at most %d", IMPORT_LINES_MAX);
    return in->dryRun ? rehearse(d, req, &self, out, err)
                      : commit_batch(d, req, in, &self, out, err);
}

int operator_import_end(struct authd *d, const struct request *req,
                        const struct operator_import_end_in *in, struct nothing *out UNUSED,
                        struct error *err)
{
    const struct sql_import_end_in end = {.import = in->import};

    return MIN(sql_import_end(d->svc.db, req, &end, err), 0);
}

/* ---- admins ---- */

/* Invites a line's practitioner. If member_create() refuses the person, the line is rejected; other
 * errors fail. */
static int invite(struct authd *d, const struct request *req, struct import_account *account,
                  int64_t *invited, struct error *err)
{
    const struct member_create_in in = {.email = account->in.email,
                                        .firstName = account->in.firstName,
                                        .lastName = account->in.lastName,
                                        .type = ROLE_PRACTITIONER};
    const struct error_item *problem;
    struct member member;

    if (*invited == INVITED_MAX) {
        import_refuse(account, false, "role: a request invites 20 practitioners at most");
        return 0;
    }
    if (member_create(d, req, &in, &member, err) == 0) {
        account->invited = true;
        ++*invited;
        return 0;
    }
    if (error_kind(err->code)->status >= 500)
        return -1;
    problem = err->problems;
    import_refuse(account, false,
                  problem ? arena_printf(req->arena, "%s %s", problem->name, problem->value)
                          : arena_strdup(req->arena, err->message));
    error_clear(err);
    return 0;
}

static int invite_all(struct authd *d, const struct request *req, struct import_batch *batch,
                      int64_t *ret_invited, struct error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct import_account *account = &batch->items[i];

        if (!account->why && !account->patient && invite(d, req, account, ret_invited, err) < 0)
            return -1;
    }
    return 0;
}

static void answer_admin(const struct import_batch *batch, struct account_import_out *out)
{
    const struct import_refusal *refusals;

    out->imported = (int64_t)import_good(batch);
    out->lines = import_refusals(batch);
    refusals = out->lines.items;
    for (size_t i = 0; i < out->lines.count; i++) {
        out->existing += refusals[i].existing;
        out->refused += !refusals[i].existing;
    }
}

static int commit_patients(struct authd *d, const struct request *req, struct import *self,
                           struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;

    if (prepare(d, req, self, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 || create(tx, req, self, err) < 0)
        return -1;
    return commit(&tx, req, err);
}

/* Imports patients, unverified, and invites practitioners. */
int account_import(struct authd *d, const struct request *req, const struct account_import_in *in,
                   struct account_import_out *out, struct error *err)
{
    CLEANUP(import_batch_wipe) struct import_batch *batch = NULL;
    struct import self = {.array = in->accounts};

    if (tenant_open_id(d, req, req->caller->project, &self.tenant, err) < 0)
        return -1;
    batch = self.batch = batch_new(d, req, &self.tenant);
    batch->rules.invites = true;
    if (read_batch(d, req, &self, err) < 0)
        return -1;
    if (!self.is_array || batch->over)
        return error_problem(err, "accounts", "must be an array of at most %d", IMPORT_LINES_MAX);
    if (throttle_limit_own(d, req, "import project", req->caller->project.text, IMPORT_WINDOW,
                           IMPORT_REQUESTS_MAX, err) < 0 ||
        step_up_check(d, NULL, req, err) < 0)
        return -1;
    if (invite_all(d, req, batch, &out->invited, err) < 0 ||
        commit_patients(d, req, &self, err) < 0)
        return -1;
    answer_admin(batch, out);
    return 0;
}
