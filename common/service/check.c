/* check.c - runs tables of checks for service_check.c. */
#include "common/service/check.h"

#include "common/base/clock.h"

static const struct field finding_rows[] = {
    FIELD_TEXT(struct finding, check, 1, 64, FIELD_REQUIRED, "What was looked at", "database"),
    FIELD_TEXT(struct finding, state, 1, 8, FIELD_REQUIRED, "ok, warn or fail", "ok"),
    FIELD_TEXT(struct finding, seen, 0, 2048, 0, "What was seen", "PostgreSQL 15.14, 2 ms"),
    FIELD_TEXT(struct finding, mend, 0, 2048, 0, "How to mend it", ""),
};
FIELD_TABLE(finding);

enum { SEEN_MAX = 1000 }; /* bytes, plenty for the row above */

int check_say(const struct request *req, struct finding *ret, const char *state, const char *mend,
              const char *format, ...)
{
    const char *text;
    va_list args;

    va_start(args, format);
    text = arena_vprintf(req->arena, format, args);
    va_end(args);
    ret->state = state;
    ret->mend = mend;
    ret->seen = arena_strndup(req->arena, text, strnlen(text, SEEN_MAX));
    return 0;
}

const char *check_age(struct arena *arena, int64_t ms)
{
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {{"days", 86400000}, {"h", 3600000}, {"min", 60000}};

    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (ms >= 2 * units[i].ms)
            return arena_printf(arena, "%lld %s", (long long)(ms / units[i].ms), units[i].name);
    return arena_printf(arena, "%lld s", (long long)(ms / 1000));
}

static struct finding run_one(const struct check *row, void *daemon, const struct request *all)
{
    struct finding found = {.check = row->name};
    struct request req = *all;
    struct error err;

    error_init(&err, req.arena);
    req.deadline_mono_ms = MIN(req.deadline_mono_ms, clock_mono_ms() + CHECK_EACH_MS);
    if (clock_mono_ms() >= all->deadline_mono_ms)
        check_fail(&req, &found, NULL, "not looked at: what came before it took too long");
    else if (row->run(daemon, &req, &found, &err) < 0)
        check_fail(&req, &found, NULL, "%s%s%s%s", err.message, err.detail[0] ? " (" : "",
                   err.detail, err.detail[0] ? ")" : "");
    if (found.state && found.state[0] != 'o' && !found.mend)
        found.mend = row->mend;
    return found;
}

bool checks_run(const struct check *rows, unsigned without, void *daemon, const struct request *req,
                struct check_report *report)
{
    bool good = true;

    for (; rows && rows->name; rows++) {
        struct finding found;

        if ((rows->flags & without) != 0 || report->count == CHECKS_MAX)
            continue;
        found = run_one(rows, daemon, req);
        if (!found.state)
            continue;
        good = good && found.state[0] != 'f';
        report->items[report->count++] = found;
    }
    return good;
}
