/*
 * documents.c - `atriumctl documents verify`: finds documents without bytes and bytes without a
 * document, by page: a suite can have more than fit in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/printable.h"
#include "ctl/progress.h"
#include "docd/bytes_api.h"
#include "docd/docd_api.h"

enum { PAGE_CALL_MS = MINUTES(15) /* a page can be one large file */ };

struct documents_report {
    int64_t documents, missing, wrongSize, changed, found, marked, objects, orphans;
};
static const struct field documents_report_rows[] = {
    FIELD_INT(struct documents_report, documents, 0, 0, 0, 0, "Documents that were checked",
              "1000"),
    FIELD_INT(struct documents_report, missing, 0, 0, 0, 0, "Documents without bytes", "1"),
    FIELD_INT(struct documents_report, wrongSize, 0, 0, 0, 0,
              "Documents whose bytes have another size", "0"),
    FIELD_INT(struct documents_report, changed, 0, 0, 0, 0, "Documents whose bytes have changed",
              "0"),
    FIELD_INT(struct documents_report, found, 0, 0, 0, 0,
              "Documents that were marked and have their bytes", "0"),
    FIELD_INT(struct documents_report, marked, 0, 0, 0, 0, "Marks that were changed", "1"),
    FIELD_INT(struct documents_report, objects, 0, 0, 0, 0, "Objects that were checked", "1000"),
    FIELD_INT(struct documents_report, orphans, 0, 0, 0, 0, "Objects without a document", "0"),
};
static FIELD_TABLE(documents_report);

struct verification {
    struct ctl *ctl;
    struct documents_verify_in in;
    struct documents_report sum;
    size_t printed;
    struct arena *scratch;
    struct progress progress;
};

/* Returns the request for the next page, and frees the previous page. */
static struct request page_request(const struct verification *self)
{
    struct request req;

    arena_reset(self->scratch);
    req = ctl_bus_request(self->ctl->bus, self->scratch);
    if (self->in.hash)
        req.deadline_mono_ms = clock_mono_ms() + PAGE_CALL_MS;
    return req;
}

static void count_problem(struct documents_report *sum, const char *problem)
{
    sum->missing += strcmp(problem, "missing") == 0;
    sum->wrongSize += strcmp(problem, "size") == 0;
    sum->changed += strcmp(problem, "changed") == 0;
    sum->found += strcmp(problem, "found") == 0;
}

static void print_problem(struct verification *self, const struct document_problem *problem)
{
    count_problem(&self->sum, problem->problem);
    if (self->ctl->json) {
        json_auto_t *json = output_json(self->scratch, &document_problem_table, problem);

        printf(self->printed++ > 0 ? ",\n" : "\n");
        printable_json(json, JSON_COMPACT, stdout);
        return;
    }
    if (self->printed++ == 0)
        printf("%-8s  %-36s  %-36s  %12s  %s\n", "PROBLEM", "PROJECT", "DOCUMENT", "SIZE",
               "FILE NAME");
    printf("%-8s  %-36s  %-36s  %12lld  %s\n", problem->problem, problem->projectId.text,
           problem->id.text, (long long)problem->size,
           output_printable(self->scratch, problem->fileName));
}

/* Prints where to continue. */
static int interrupted(const struct verification *self, struct error *err)
{
    const struct documents_verify_in *in = &self->in;
    struct error cause = *err;

    if (!uuid_is_set(&in->afterProject))
        return -1;
    error_clear(err);
    return error_set(err, cause.code, "%.120s Continue with --after %s/%s", cause.message,
                     in->afterProject.text, in->afterId.text);
}

static int verify_documents(struct verification *self, struct error *err)
{
    struct documents_verified page = {.more = true};

    while (page.more) {
        struct request req = page_request(self);
        const struct document_problem *problems;

        page = (struct documents_verified){0};
        if (docd_documents_verify(self->ctl->bus->bus, &req, &self->in, &page, err) < 0)
            return interrupted(self, err);
        problems = page.problems.items;
        for (size_t i = 0; i < page.problems.count; i++)
            print_problem(self, &problems[i]);
        self->sum.documents += page.checked;
        self->sum.marked += page.marked;
        self->in.afterProject = page.lastProject;
        self->in.afterId = page.lastId;
        progress_count(&self->progress, self->sum.documents, 0);
    }
    return 0;
}

static int verify_objects(struct verification *self, struct error *err)
{
    struct objects_verify_in in = {.repair = self->in.repair};
    char *cursor = NULL;
    int rc;

    do {
        struct request req = page_request(self);
        struct objects_verified page = {0};

        rc = docd_objects_verify(self->ctl->bus->bus, &req, &in, &page, err);
        self->sum.objects += page.checked;
        self->sum.orphans += page.orphans;
        free(cursor);
        cursor = rc == 0 && page.cursor ? strdup(page.cursor) : NULL;
        in.cursor = cursor;
        progress_count(&self->progress, self->sum.objects, 0);
    } while (cursor);
    return rc;
}

static int take_place(const char *text, struct documents_verify_in *in, struct error *err)
{
    const char *slash = strchr(text, '/');
    char project[sizeof(in->afterProject.text)] = "";

    if (slash && (size_t)(slash - text) < sizeof(project))
        memcpy(project, text, (size_t)(slash - text));
    if (uuid_parse(project, &in->afterProject) < 0 || uuid_parse(slash + 1, &in->afterId) < 0)
        return error_set(err, ERR_BAD_REQUEST, "--after: must be PROJECT/DOCUMENT, two UUIDs");
    return 0;
}

static int take_arguments(struct verification *self, struct error *err)
{
    const struct arguments *args = &self->ctl->args;
    const char *after = arguments_get(args, "--after");

    self->in.hash = arguments_has(args, "--hash");
    self->in.repair = arguments_has(args, "--repair");
    if (arguments_has(args, "--project") &&
        project_from_args(self->ctl, &self->in.projectId, err) < 0)
        return -1;
    return after ? take_place(after, &self->in, err) : 0;
}

static int verify_all(struct verification *self, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    int rc;

    self->scratch = scratch;
    progress_start(&self->progress, "documents", "documents", self->ctl->json);
    rc = verify_documents(self, err);
    progress_end(&self->progress);
    if (rc < 0 || uuid_is_set(&self->in.projectId)) /* bytes without a document have no project */
        return rc;
    progress_start(&self->progress, "store", "objects", self->ctl->json);
    rc = verify_objects(self, err);
    progress_end(&self->progress);
    return rc;
}

static void print_sum(const struct verification *self)
{
    json_auto_t *json = NULL;

    if (!self->ctl->json) {
        output_record(self->ctl, &documents_report_table, &self->sum);
        return;
    }
    json = output_json(self->ctl->arena, &documents_report_table, &self->sum);
    fputs("\n],\n\"sum\":", stdout);
    printable_json(json, JSON_COMPACT, stdout);
    puts("}");
}

int documents_verify_command(struct ctl *ctl, struct error *err)
{
    struct verification self = {.ctl = ctl};
    int64_t bad;

    if (take_arguments(&self, err) < 0)
        return -1;
    if (ctl->json)
        printf("{\"problems\":[");
    if (verify_all(&self, err) < 0)
        return -1;
    print_sum(&self);
    bad = self.sum.missing + self.sum.wrongSize + self.sum.changed;
    return bad == 0 ? 0
                    : error_set(err, ERR_CONFLICT, "%lld documents lack their correct bytes.",
                                (long long)bad);
}
