/* call.c - see call.h. */
#include "ctl/call.h"

#include <ctype.h>
#include <string.h>

#include "ctl/ctl_bus.h"
#include "ctl/output.h"

/* Converts "--previous-hours" to "previousHours", "ID" to "id". */
static const char *member_name(const struct argument *item, struct arena *arena)
{
    static const char *const codes[] = {"CODE", "--code", "--project", "--tenant"};
    char *text = arena_calloc(arena, strlen(item->name) + 1, 1), *out = text;
    bool upper = false;

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        if (strcmp(item->name, codes[i]) == 0)
            return "tenantCode";
    for (const char *c = item->name + strspn(item->name, "-"); *c; c++) {
        if (*c != '-')
            *out++ = (char)(upper ? toupper((unsigned char)*c) : tolower((unsigned char)*c));
        upper = *c == '-';
    }
    return text;
}

static int set_choice(const struct argument *item, const char *const *choices, unsigned *ret,
                      struct error *err)
{
    *ret = fields_choice(choices, item->value);
    return *ret > 0
               ? 0
               : error_set(err, ERR_BAD_REQUEST, "%s: there is no %s", item->name, item->value);
}

static int set_member(struct ctl *ctl, const struct argument *item, const struct field *row,
                      void *in, struct error *err)
{
    void *member = (char *)in + row->offset;

    if (row->type == FIELD_TYPE_INT)
        return arguments_int(&ctl->args, item->name, row->fallback, row->min, row->max, member,
                             err);
    if (!item->value)
        return 0;
    if (row->type == FIELD_TYPE_BOOL)
        *(bool *)member = true;
    else if (row->type == FIELD_TYPE_ENUM)
        return set_choice(item, row->choices, member, err);
    else if (row->type != FIELD_TYPE_UUID)
        *(const char **)member = item->value;
    else if (uuid_parse(item->value, member) < 0)
        return error_set(err, ERR_BAD_REQUEST, "%s: must be a uuid", item->name);
    return 0;
}

/* If the operation takes a code, it finds the project itself. */
static int set_project(struct ctl *ctl, const struct field_table *table, void *in,
                       struct error *err)
{
    const struct field *row = fields_find(table, "projectId");
    const char *text = row ? arguments_get(&ctl->args, "--project") : NULL;
    struct uuid *project = row ? (void *)((char *)in + row->offset) : NULL;

    if (!text)
        return 0;
    if (fields_find(table, "tenantCode")) {
        if (uuid_parse(text, project) < 0)
            *project = (struct uuid){""};
        return 0;
    }
    return project_from_args(ctl, project, err);
}

int call(struct ctl *ctl, const struct bus_method *method, void *in, void *out, struct error *err)
{
    const struct ctl_call *it = &ctl->command->call;
    struct uuid project = {""};
    const char *tenant = NULL;
    struct request req;

    for (size_t i = 0; i < ctl->args.count; i++) {
        const struct argument *item = &ctl->args.items[i];
        const char *name = member_name(item, ctl->arena);
        const struct field *row = fields_find(method->input, name);

        if (method->flags & R_PROJECT && !it->project && strcmp(name, "tenantCode") == 0)
            tenant = item->value;
        if (row && !(item->holder && strncmp(item->holder, "FILE", 4) == 0) &&
            set_member(ctl, item, row, in, err) < 0)
            return -1;
    }
    if (set_project(ctl, method->input, in, err) < 0 ||
        (it->project && it->project(ctl, &project, err) < 0))
        return -1;
    memset(out, 0, method->output->size);
    req = ctl_bus_request(ctl->bus, ctl->arena);
    req.tenant = tenant;
    req.project = project;
    return bus_call(ctl->bus->bus, method, &req, in, out, err);
}

static const struct field *list_row(const struct field_table *table)
{
    const struct field *row = table->rows;

    while (row->type != FIELD_TYPE_OBJECTS)
        row++;
    return row;
}

int call_command(struct ctl *ctl, struct error *err)
{
    const struct ctl_call *it = &ctl->command->call;
    const struct field_table *answer = it->method->output;
    void *in = arena_calloc(ctl->arena, 1, it->method->input->size);
    char *out = arena_calloc(ctl->arena, 1, answer->size);
    const struct field *list;

    fields_set_fallbacks(it->method->input, in);
    if (call(ctl, it->method, in, out, err) < 0)
        return -1;
    if (it->columns) {
        list = list_row(answer);
        output_list(ctl, list->table, (const void *)(out + list->offset), it->columns);
        if (it->done)
            output_note(ctl, "%s", it->done);
    } else if (it->done) {
        output_done(ctl, "%s", it->done);
    } else {
        output_record(ctl, answer, out);
    }
    return 0;
}
