/*
 * transfer.c - see transfer.h.
 */
#include "authd/account/transfer.h"

#include <inttypes.h>
#include <string.h>

#include "authd/authd.h"
#include "authd/credential/factor.h"
#include "authd/federation/provider_api.h"
#include "authd/operation_api.h"
#include "authd/sql/tenant.h"
#include "common/service/audit.h"

enum {
    CONFLICTS_NAMED = 4, /* an error has 255 characters */
    INVITED_ROWS = 200,  /* per page */
};

/* For this time authd remembers which accounts an import has added, so that the import can be
 * continued. */
#define TRANSFER_KEPT DAYS(90)

/* ---- accounts ---- */

/* Fails with an error that names the accounts and the first one's reason; count > 0. */
static int refuse_conflicts(const struct request *req,
                            const struct sql_tenant_account_conflict_rows *rows, struct error *err)
{
    const char *why = rows->items[0].why, *accounts = "", *what;
    int64_t total = rows->items[0].total, named = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->items[i].why, why) == 0)
            accounts = arena_printf(req->arena, "%s%s%s", accounts, named++ > 0 ? ", " : "",
                                    rows->items[i].account.text);
    if (strcmp(why, "id") == 0)
        what = "Accounts that already exist and are not members of this project";
    else if (strcmp(why, "address") == 0)
        what = "Accounts whose email addresses belong to other accounts here";
    else
        what = "Accounts whose email addresses others here changed lately and can take back";
    if (named < total)
        accounts = arena_printf(req->arena, "%s, %" PRId64 " more", accounts, total - named);
    return error_set(err, ERR_CONFLICT, "%s: %s.", what, accounts);
}

/* Invites the owners of accounts that exist here. *ret_left: rows neither added, invited nor
 * identical. */
static int invite_accounts(struct db_tx *tx, const struct request *req,
                           const struct sql_tenant_insert *insert, int64_t rows,
                           int64_t *ret_invited, int64_t *ret_left, struct error *err)
{
    const struct audit audit = {
        .action = "invitation.create", .project = insert->project, .detail = "import"};
    const struct sql_tenant_invite_account_in in = {.project = insert->project,
                                                    .rows = insert->rows,
                                                    .expires_at = req->now_ms + TRANSFER_KEPT,
                                                    .audit = audit_row(req, &audit)};
    struct sql_tenant_invite_account_row row;

    if (sql_tenant_invite_account(tx, req, &in, &row, err) < 0)
        return -1;
    *ret_invited = row.invited;
    *ret_left = rows - row.invited;
    return 0;
}

/* An insert waits for a concurrent one of the same account, which the invitation then sees. */
static int insert_accounts(const struct tenant_table *table UNUSED, struct db_tx *tx,
                           const struct request *req, const struct sql_tenant_add_in *in,
                           struct sql_tenant_add_row *ret, struct error *err)
{
    const struct sql_tenant_insert *rows = &in->tenant_insert;
    const struct sql_tenant_account_conflict_in conflict = {
        .project = rows->project, .rows = rows->rows, .most = CONFLICTS_NAMED};
    const struct sql_tenant_insert_account_in insert = {.project = rows->project,
                                                        .rows = rows->rows,
                                                        .expires_at = req->now_ms + TRANSFER_KEPT,
                                                        .audit = in->audit};
    struct sql_tenant_account_conflict_rows found;
    struct sql_tenant_insert_account_row row;
    int64_t invited = 0, left;
    int conflicts;

    if (sql_tenant_insert_account(tx, req, &insert, &row, err) < 0)
        return -1;
    left = row.rows - row.added - row.same;
    if (left > 0 && invite_accounts(tx, req, rows, left, &invited, &left, err) < 0)
        return -1;
    *ret = (struct sql_tenant_add_row){.added = row.added + invited, .same = row.same};
    if (left <= 0)
        return 0;
    conflicts = sql_tenant_account_conflict(tx, req, &conflict, &found, err);
    if (conflicts <= 0)
        return conflicts;
    return refuse_conflicts(req, &found, err);
}

/* ---- rows of accounts ---- */

#define FIRST_ACCOUNT "{\"account_id\":\"" UUID_NIL "\"}"
#define FIRST_RECOVERY "{\"account_id\":\"" UUID_NIL "\",\"code_hash\":\"\\\\x\"}"
#define FIRST_PASSKEY "{\"account_id\":\"" UUID_NIL "\",\"id\":\"" UUID_NIL "\"}"

/* Finds the membership after which a page begins, because a project's accounts have no other index.
 * The nil UUID: the first page. */
static int find_place(struct db *db, const struct request *req, const struct sql_tenant_page *page,
                      struct uuid *ret, struct error *err)
{
    const struct sql_tenant_place_in in = {.project = page->project, .after = page->after};
    struct sql_tenant_place_row row;

    *ret = (struct uuid){UUID_NIL};
    if (strcmp(page->after, FIRST_ACCOUNT) == 0 || strcmp(page->after, FIRST_PASSKEY) == 0 ||
        strcmp(page->after, FIRST_RECOVERY) == 0)
        return 0;
    if (sql_require(sql_tenant_place(db, req, &in, &row, err), err, ERR_CONFLICT,
                    "An account left the project during the export: start again.") < 0)
        return -1;
    *ret = row.place;
    return 0;
}

/* Drops the rows of invited people (*ret_passed). The other accounts must have been added to this
 * project by a file, with no other membership. Locks them. */
static int choose_rows(struct db_tx *tx, const struct request *req,
                       struct sql_tenant_insert *insert, int64_t *ret_passed, struct error *err)
{
    const struct sql_tenant_account_rows_in all = {.project = insert->project,
                                                   .rows = insert->rows};
    struct sql_tenant_account_foreign_in foreign = {.project = insert->project};
    struct sql_tenant_account_lock_in lock;
    struct sql_tenant_account_lock_rows locked;
    struct sql_tenant_account_foreign_row row;
    struct sql_tenant_account_rows_row chosen;
    int found;

    if (sql_tenant_account_rows(tx, req, &all, &chosen, err) < 0)
        return -1;
    *ret_passed = chosen.passed;
    if (chosen.passed > 0)
        insert->rows = chosen.rows;
    lock.rows = foreign.rows = insert->rows;
    if (sql_tenant_account_lock(tx, req, &lock, &locked, err) < 0)
        return -1;
    found = sql_tenant_account_foreign(tx, req, &foreign, &row, err);
    if (found <= 0)
        return found;
    return error_set(err, ERR_CONFLICT,
                     !row.member  ? "Account %s is not a member of this project."
                     : !row.added ? "Account %s was not added here by a file of this project."
                                  : "Account %s is also a member of another project here.",
                     uuid_is_set(&row.account) ? row.account.text : UUID_NIL);
}

static int read_member_page(const struct tenant_table *table, struct db *db,
                            const struct request *req, const struct sql_tenant_page *page,
                            struct tenant_page *ret, struct error *err)
{
    struct sql_tenant_member_read_in in = {.tenant_page = *page};
    struct sql_tenant_member_read_rows rows;

    if (find_place(db, req, page, &in.place, err) < 0 ||
        sql_tenant_member_read(db, req, *table->read, &in, &rows, err) < 0)
        return -1;
    *ret = (struct tenant_page){rows.items, rows.count};
    return 0;
}

static int insert_member_rows(const struct tenant_table *table, struct db_tx *tx,
                              const struct request *req, const struct sql_tenant_add_in *in,
                              struct sql_tenant_add_row *ret, struct error *err)
{
    struct sql_tenant_add_in chosen = *in;
    int64_t passed;

    if (choose_rows(tx, req, &chosen.tenant_insert, &passed, err) < 0 ||
        sql_tenant_add(tx, req, *table->add, &chosen, ret, err) < 0)
        return -1;
    ret->same += passed;
    return 0;
}

/* ---- tables ---- */

#define LINK_STAYS "only the installation that emailed a link can verify an address with it"
#define SESSION_STAYS "tokens are signed by their own installation, so people must sign in again"
#define LIMIT_STAYS "limits belong to their own installation, which hashes them with its key"
#define MOVE_STAYS "what an import did with a file's accounts, on the receiving installation"
#define TRAIL_STAYS "the audit log of its own installation, and the keys that prove it"
#define GATEWAY_STAYS "messages to the gateways of its own installation"
#define SCIM_STAYS "a directory is connected again at the receiving installation"
#define IMPORT_STAYS "an import ends on the installation where it began"

#define MEMBER_TABLE(table_) \
    TENANT_TABLE(table_), .page = read_member_page, .insert = insert_member_rows

/* Accounts first, because the other tables refer to them. */
const struct tenant_table authd_tenant_tables[] = {
    {.name = "account",
     .first = "{\"membership\":{\"id\":\"" UUID_NIL "\"}}",
     .rows = 200,
     .read = &sql_tenant_page_account_statement,
     .insert = insert_accounts},
    TENANT_STAYS("membership", "is moved in its account's row"),
    {.name = "credential", .first = FIRST_ACCOUNT, .rows = 500, MEMBER_TABLE(credential)},
    {.name = "email_verified", .first = FIRST_ACCOUNT, .rows = 500, MEMBER_TABLE(email_verified)},
    {.name = "mfa_factor",
     .first = FIRST_ACCOUNT,
     .rows = 500,
     MEMBER_TABLE(mfa_factor),
     .sealed = {{"secret_sealed", FACTOR_SEAL_PURPOSE, "account_id", NULL, NULL}}},
    {.name = "mfa_recovery", .first = FIRST_RECOVERY, .rows = 500, MEMBER_TABLE(mfa_recovery)},
    {.name = "passkey", .first = FIRST_PASSKEY, .rows = 100, MEMBER_TABLE(passkey)},
    {.name = "last_sign_in", .first = FIRST_ACCOUNT, .rows = 500, MEMBER_TABLE(last_sign_in)},
    {"invitation", "{\"id\":\"" UUID_NIL "\"}", 200, TENANT_TABLE(invitation)},
    {"fhir_server", "{\"id\":\"" UUID_NIL "\"}", 200, TENANT_TABLE(fhir_server)},
    {.name = "identity_provider",
     .first = "{\"id\":\"" UUID_NIL "\"}",
     .rows = 100,
     TENANT_TABLE(identity_provider),
     .sealed = {{"secret_sealed", PROVIDER_SEAL_PURPOSE, "id", NULL, NULL}},
     .check = provider_check_row},
    TENANT_STAYS("email_link", LINK_STAYS),
    TENANT_STAYS("email_undo", LINK_STAYS),
    TENANT_STAYS("password_reset", LINK_STAYS),
    TENANT_STAYS("mail_code", LINK_STAYS),
    TENANT_STAYS("session", SESSION_STAYS),
    TENANT_STAYS("account_session", SESSION_STAYS),
    TENANT_STAYS("api_key", "an API key works only at its own installation: machines get new ones"),
    TENANT_STAYS("scim_token", SCIM_STAYS),
    TENANT_STAYS("scim_user", SCIM_STAYS),
    TENANT_STAYS("scim_group", SCIM_STAYS),
    TENANT_STAYS("scim_group_member", SCIM_STAYS),
    TENANT_STAYS("scim_mapping", SCIM_STAYS),
    TENANT_STAYS("scim_request", SCIM_STAYS),
    TENANT_STAYS("project_domain", "domains are verified again at the receiving installation"),
    TENANT_STAYS("trail_source", TRAIL_STAYS),
    TENANT_STAYS("trail_tree", TRAIL_STAYS),
    TENANT_STAYS("trail_tile", TRAIL_STAYS),
    TENANT_STAYS("trail_place", TRAIL_STAYS),
    TENANT_STAYS("trail_key", TRAIL_STAYS),
    TENANT_STAYS("trail_sign_in", TRAIL_STAYS),
    TENANT_STAYS("account_address_key", TRAIL_STAYS),
    TENANT_STAYS("member_search", "is computed again when members are added"),
    TENANT_STAYS("member_search_due", "like member_search"),
    TENANT_STAYS("member_order", "like member_search"),
    TENANT_STAYS("erasure", TRAIL_STAYS),
    TENANT_STAYS("erasure_request", TRAIL_STAYS),
    TENANT_STAYS("erasure_table", TRAIL_STAYS),
    TENANT_STAYS("identity", "people are linked again at the receiving installation"),
    TENANT_STAYS("federated_login", SESSION_STAYS),
    TENANT_STAYS("login", SESSION_STAYS),
    TENANT_STAYS("continue_spent", SESSION_STAYS),
    TENANT_STAYS("mfa_pending", SESSION_STAYS),
    TENANT_STAYS("passkey_ceremony", SESSION_STAYS),
    TENANT_STAYS("passkey_start_spent", SESSION_STAYS),
    TENANT_STAYS("page_submission", SESSION_STAYS),
    TENANT_STAYS("signing_key", SESSION_STAYS),
    TENANT_STAYS("issuer_key", SESSION_STAYS),
    TENANT_STAYS("smart_launch", SESSION_STAYS),
    TENANT_STAYS("oauth_pushed", SESSION_STAYS),
    TENANT_STAYS("oauth_code", SESSION_STAYS),
    TENANT_STAYS("oauth_device", SESSION_STAYS),
    TENANT_STAYS("oauth_grant", SESSION_STAYS),
    TENANT_STAYS("oauth_consent", "the installation's clients ask people again"),
    TENANT_STAYS("oauth_consent_resource", "like oauth_consent"),
    TENANT_STAYS("oauth_once", SESSION_STAYS),
    TENANT_STAYS("logout_delivery", SESSION_STAYS),
    TENANT_STAYS("throttle", LIMIT_STAYS),
    TENANT_STAYS("known_address", LIMIT_STAYS),
    TENANT_STAYS("change", GATEWAY_STAYS),
    TENANT_STAYS("change_counter", GATEWAY_STAYS),
    TENANT_STAYS("gateway_lease", GATEWAY_STAYS),
    TENANT_STAYS("import_batch", IMPORT_STAYS),
    TENANT_STAYS("import_refusal", IMPORT_STAYS),
    TENANT_STAYS("import_state", "is counted again when passwords are added"),
    TENANT_STAYS("transfer_account", MOVE_STAYS),
    TENANT_STAYS("email_scan", "part of the audit log of its own installation"),
    TENANT_STAYS("granted", "requests of the daemons of its own installation"),
    TENANT_STAYS("outbox", "messages for the daemons of its own installation"),
    {.name = NULL},
};

/* ---- invited people ---- */

struct look {
    const struct request *req;
    struct uuid project;
    struct field_list *invited;
};

static int find_invited(struct db_tx *tx, const char *rows, void *arg, struct error *err)
{
    const struct look *self = arg;
    const struct sql_tenant_account_invited_in in = {.project = self->project, .rows = rows};

    return MIN(sql_tenant_account_invited(tx, self->req, &in, self->invited, err), 0);
}

/* Returns the people whom the import of this page would invite. CONFLICT, as in the import. */
int operator_transfer_check(struct authd *d, const struct request *req,
                            const struct operator_transfer_check_in *in,
                            struct operator_transfer_out *out, struct error *err)
{
    const struct tenant_store store = {d->svc.db, &d->svc.seal};
    const struct tenant_page page = {in->rows.items, in->rows.count};
    struct look look = {.req = req, .project = in->projectId, .invited = &out->invited};

    return tenant_table_try(&authd_tenant_tables[0], &store, req, in->projectId, &page, in->before,
                            find_invited, &look, err);
}

int operator_transfer_invited(struct authd *d, const struct request *req,
                              const struct operator_transfer_invited_in *in,
                              struct operator_transfer_out *out, struct error *err)
{
    const struct sql_tenant_invited_list_in list = {
        .project = in->projectId,
        .after = uuid_is_set(&in->after) ? in->after : (struct uuid){UUID_NIL},
        .most = INVITED_ROWS};

    if (sql_tenant_invited_list(d->svc.db, req, &list, &out->invited, err) < 0)
        return -1;
    out->more = out->invited.count == INVITED_ROWS;
    return 0;
}
