/*
 * export_page.c - the page to request and fetch a file with a person's data.
 *
 * docd makes the file, as for /auth/export. Everything needs a fresh proof, so the page asks for it
 * first; docd checks it again.
 */
#include <string.h>

#include "authd/page/page_api.h"
#include "authd/page/step_up_page.h"
#include "common/domain/page.h"
#include "docd/docd_api.h"
#include "docd/export_api.h"

static const char own_page[] = "account/export", ready[] = "ready", failed[] = "failed";

enum { KILOBYTE = 1000, MEGABYTE = 1000 * KILOBYTE };

/* "12 kB", "3 MB", rounded up. */
static const char *size_text(struct arena *arena, int64_t size)
{
    int64_t unit = size < MEGABYTE ? KILOBYTE : MEGABYTE;

    return arena_printf(arena, "%lld %s", (long long)((size + unit - 1) / unit),
                        unit == KILOBYTE ? "kB" : "MB");
}

/* Excludes exports that an admin requested for others. */
static size_t rows_of(const struct visit *visit, const struct account_exports *exports,
                      struct page_export_row *rows)
{
    const struct account_export *items = exports->resources.items;
    struct arena *arena = visit->req.arena;
    size_t count = 0;

    for (size_t i = 0; i < exports->resources.count; i++) {
        bool is_ready = strcmp(items[i].state, ready) == 0;

        if (!uuid_equal(&items[i].account, &visit->caller.account))
            continue;
        rows[count++] = (struct page_export_row){
            .id = arena_strdup(arena, items[i].id.text),
            .created = visit_time(visit, items[i].createdAt),
            .size = is_ready ? size_text(arena, items[i].size) : NULL,
            .until = is_ready ? visit_time(visit, items[i].expiresAt) : NULL,
            .ready = is_ready,
            .failed = strcmp(items[i].state, failed) == 0,
        };
    }
    return count;
}

static enum visit_step show(const struct visit *visit, int status, enum page_text problem,
                            struct page_answer *out, struct error *err)
{
    const struct visitor_export_in in = {.caller = &visit->caller};
    struct account_exports exports = {0};
    struct page_export_row *rows;
    struct page page;
    bool waiting = false;
    size_t count;

    if (docd_visitor_export_list(visit->d->svc.bus, &visit->req, &in, &exports, err) < 0)
        return VISIT_FAILED;
    rows = arena_calloc(visit->req.arena, exports.resources.count, sizeof(*rows));
    count = rows_of(visit, &exports, rows);
    for (size_t i = 0; i < count; i++)
        waiting = waiting || !(rows[i].ready || rows[i].failed);
    visit_page(visit, &page);
    page_export(&page,
                &(struct page_export_in){VISIT_VALUES(visit), .problem = problem,
                                         .waiting = waiting, .row = rows, .row_count = count});
    return visit_show(&page, status, out);
}

/* An export covers one project, so the installation's own pages don't offer it. A second factor
 * that the project requires is needed here too. */
static enum visit_step admit(const struct visit *visit, struct page_answer *out)
{
    if (visit->installation)
        return visit_go(visit, "account", out);
    return visit_lacks_factor(visit)
               ? visit_say(visit, 403, PAGE_TEXT_NOTE_DATA, PAGE_TEXT_ERROR_EXPORT_FACTOR, out)
               : VISIT_OPEN;
}

/* Shows what the person can fix: a stale proof, too many requests, a missing file. */
static enum visit_step refuse(const struct visit *visit, struct page_answer *out, struct error *err)
{
    enum page_text problem = err->code == ERR_THROTTLED   ? PAGE_TEXT_ERROR_EXPORT_OFTEN
                             : err->code == ERR_NOT_FOUND ? PAGE_TEXT_ERROR_EXPORT_GONE
                                                          : PAGE_NO_TEXT;

    if (err->code == ERR_STEP_UP_REQUIRED)
        return step_up_go(visit, own_page, out);
    if (problem == PAGE_NO_TEXT)
        return VISIT_FAILED;
    return show(visit, visit_refused(err, out), problem, out, err);
}

static enum visit_step open_form(const struct visit *visit, int status, enum page_text problem,
                                 struct page_answer *out, struct error *err)
{
    enum visit_step step = admit(visit, out);

    if (step == VISIT_OPEN)
        step = step_up_require(visit, own_page, out, err);
    return step == VISIT_OPEN ? show(visit, status, problem, out, err) : step;
}

int page_export_get(struct authd *d, const struct request *req, const struct page_query *in,
                    struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = open_form(&visit, 200, PAGE_NO_TEXT, out, err);
    return visit_result(step);
}

static enum visit_step start(const struct visit *visit, struct page_answer *out, struct error *err)
{
    const struct visitor_export_in in = {.caller = &visit->caller};
    struct account_export made;

    if (docd_visitor_export_start(visit->d->svc.bus, &visit->req, &in, &made, err) < 0)
        return refuse(visit, out, err);
    return visit_go(visit, own_page, out);
}

int page_export_post(struct authd *d, const struct request *req, const struct export_form *in,
                     struct page_answer *out, struct error *err)
{
    struct visit visit;
    enum visit_step step =
        visit_open_account_form(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_STALE)
        return visit_result(open_form(&visit, VISIT_STALE_STATUS, PAGE_TEXT_ERROR_STALE, out, err));
    if (step == VISIT_OPEN)
        step = admit(&visit, out);
    if (step == VISIT_OPEN)
        step = start(&visit, out, err);
    return visit_result(step);
}

static enum visit_step fetch(const struct visit *visit, const char *id, struct page_answer *out,
                             struct error *err)
{
    struct visitor_export_in in = {.caller = &visit->caller};
    struct content *content = arena_calloc(visit->req.arena, 1, sizeof(*content));

    if (uuid_parse(id, &in.id) < 0)
        (void)error_set(err, ERR_NOT_FOUND, "Export not found.");
    if (err->code != ERR_NONE ||
        docd_visitor_export_content(visit->d->svc.bus, &visit->req, &in, content, err) < 0)
        return refuse(visit, out, err);
    out->status = 200;
    out->content = content;
    return VISIT_ANSWERED;
}

int page_export_file_get(struct authd *d, const struct request *req,
                         const struct export_file_query *in, struct page_answer *out,
                         struct error *err)
{
    struct visit visit;
    enum visit_step step = visit_open_account(d, req, in->tenantCode, in->visit, &visit, out, err);

    if (step == VISIT_OPEN)
        step = admit(&visit, out);
    if (step == VISIT_OPEN)
        step = fetch(&visit, in->id, out, err);
    return visit_result(step);
}
