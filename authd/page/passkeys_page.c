/*
 * passkeys_page.c - the page of an account's passkeys. Only adding one needs the script.
 */
#include <string.h>

#include "authd/account/account_api.h"
#include "authd/page/page_api.h"
#include "authd/page/passkey_form.h"
#include "authd/page/step_up_page.h"
#include "authd/passkey/passkey_api.h"
#include "common/domain/page.h"

static const char own_page[] = "account/passkeys";

static struct page_passkeys_row *rows_of(const struct visit *visit, const struct passkey_list *list)
{
    const struct passkey *items = list->passkeys.items;
    struct arena *arena = visit->req.arena;
    struct page_passkeys_row *rows = arena_calloc(arena, list->passkeys.count, sizeof(*rows));

    for (size_t i = 0; i < list->passkeys.count; i++)
        rows[i] = (struct page_passkeys_row){
            .id = arena_strdup(arena, items[i].id.text),
            .label = arena_printf(arena, "name-%zu", i + 1),
            .name = items[i].name,
            .created = visit_time(visit, items[i].createdAt),
            .used = items[i].lastUsedAt ? visit_time(visit, items[i].lastUsedAt) : NULL,
        };
    return rows;
}

/* Offers a challenge to add one; *ret_options NULL: not possible. */
static int offer_new(const struct visit *visit, const char **ret_step, const char **ret_options,
                     struct error *err)
{
    const struct nothing in = {0};
    struct passkey_enrollment enrollment = {0};

    *ret_step = *ret_options = NULL;
    if (passkey_enroll_start(visit->d, &visit->req, &in, &enrollment, err) < 0) {
        if (err->code != ERR_BAD_REQUEST && err->code != ERR_CONFLICT)
            return -1;
        error_clear(err);
        return 0;
    }
    *ret_step = visit_seal(visit, arena_strdup(visit->req.arena, enrollment.enrollmentId.text));
    *ret_options = passkey_form_options(visit, &passkey_creation_options_table, enrollment.options);
    return 0;
}

static enum visit_step show(const struct visit *visit, int status, enum page_text notice,
                            enum page_text problem, struct page_answer *out, struct error *err)
{
    const struct nothing in = {0};
    const char *step, *options;
    struct passkey_list list = {0};
    struct page page;

    if (passkeys(visit->d, &visit->req, &in, &list, err) < 0 ||
        offer_new(visit, &step, &options, err) < 0)
        return err->code == ERR_STEP_UP_REQUIRED ? step_up_go(visit, own_page, out) : VISIT_FAILED;
    visit_page(visit, &page);
    page_passkeys(&page, &(struct page_passkeys_in){
                             VISIT_VALUES(visit), .step = step, .options = options,
                             .notice = notice, .problem = problem, .row = rows_of(visit, &list),
                             .row_count = list.passkeys.count});
    return options ? visit_show_script(&page, status, out) : visit_show(&page, status, out);
}

static int add(const struct visit *visit, const struct passkeys_form *form, struct error *err)
{
    json_auto_t *body =
        passkey_form_body(form->credential, "enrollmentId", visit_unseal(visit, form->step));
    struct passkey_enroll_finish_in in;
    struct passkey made = {0};

    if (page_has(form->name))
        json_object_set_new(body, "name", json_string(form->name));
    if (visit_fields(visit, &passkey_enroll_finish_in_table, body, &in, err) < 0)
        return -1;
    return passkey_enroll_finish(visit->d, &visit->req, &in, &made, err);
}

static int rename_it(const struct visit *visit, const struct passkeys_form *form, struct error *err)
{
    json_auto_t *body = json_pack("{s:s*, s:s*}", "id", form->passkey, "name", form->name);
    struct passkey_rename_in in;
    struct passkey renamed = {0};

    if (visit_fields(visit, &passkey_rename_in_table, body, &in, err) < 0)
        return -1;
    return passkey_rename(visit->d, &visit->req, &in, &renamed, err);
}

static int remove_it(const struct visit *visit, const struct passkeys_form *form, struct error *err)
{
    json_auto_t *body = json_pack("{s:s*}", "id", form->passkey);
    struct passkey_delete_in in;
    struct ok_out ok = {0};

    if (visit_fields(visit, &passkey_delete_in_table, body, &in, err) < 0)
        return -1;
    return passkey_delete(visit->d, &visit->req, &in, &ok, err);
}

static enum visit_step refuse(const struct visit *visit, const struct passkeys_form *form,
                              struct page_answer *out, struct error *err)
{
    enum page_text problem = visit_problem(err);

    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, own_page, out);
    if (form->credential &&
        (err->code == ERR_BAD_REQUEST || err->code == ERR_CONFLICT || err->code == ERR_VALIDATION))
        problem = PAGE_TEXT_ERROR_PASSKEY;
    else if (err->code == ERR_VALIDATION)
        problem = PAGE_TEXT_ERROR_PASSKEY_NAME;
    else if (err->code == ERR_NOT_FOUND)
        return visit_go(visit, own_page, out); /* already deleted */
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return show(visit, visit_refused(err, out), PAGE_NO_TEXT, problem, out, err);
}

static enum visit_step act(const struct visit *visit, const struct passkeys_form *form,
                           struct page_answer *out, struct error *err)
{
    bool removes = form->action && strcmp(form->action, "remove") == 0;
    int done = form->credential ? add(visit, form, err)
               : removes        ? remove_it(visit, form, err)
                                : rename_it(visit, form, err);

    if (done < 0)
        return refuse(visit, form, out, err);
    return visit_go(visit, "account/passkeys?note=passkey-changed", out);
}

static enum visit_step open_list(const struct visit *visit, int status, enum page_text notice,
                                 enum page_text problem, struct page_answer *out, struct error *err)
{
    enum visit_step step = step_up_require(visit, own_page, out, err);

    return step == VISIT_OPEN ? show(visit, status, notice, problem, out, err) : step;
}

int page_passkeys_get(struct authd *d, const struct request *req, const struct page_query *in,
                      struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = open_list(&visit, 200, visit_note(in->note), PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

int page_passkeys_post(struct authd *d, const struct request *req, const struct passkeys_form *in,
                       struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        step = open_list(&visit, VISIT_STALE_STATUS, PAGE_NO_TEXT, PAGE_TEXT_ERROR_STALE, out, err);
    else if (step == VISIT_OPEN)
        step = act(&visit, in, out, err);
    return visit_result(step);
}
