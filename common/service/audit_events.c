/* audit_events.c - see audit_events.h. */
#include "common/service/audit_events.h"

#include "common/service/service.h"

/* Rows scanned per page, and events in it. */
enum { EVENTS_SPAN = 5000, EVENTS_MAX = 500 };

static const struct field audit_events_in_rows[] = {
    FIELD_INT(struct audit_events_in, after, -1, INT64_MAX, -1, 0,
              "Rows behind this sequence number; negative: none", "0"),
    FIELD_INT(struct audit_events_in, since, 0, INT64_MAX, 0, 0,
              "Without such rows: the place before what was written since; 0: the end", "0"),
    FIELD_TEXTS(struct audit_events_in, actions, 1, 64, AUDIT_EVENT_ACTIONS_MAX, FIELD_REQUIRED,
                "Of these actions", "session.create"),
    FIELD_BOOL(struct audit_events_in, everywhere, false, 0, "Of all projects"),
    FIELD_TEXTS(struct audit_events_in, projects, 36, 36, AUDIT_EVENT_PROJECTS_MAX,
                FIELD_OMIT_EMPTY, "Else of these", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(audit_events_in);

static const struct field audit_events_out_rows[] = {
    FIELD_INT(struct audit_events_out, sequence, 0, INT64_MAX, 0, 0, "The page ends here", "1"),
    FIELD_INT(struct audit_events_out, end, 0, INT64_MAX, 0, 0, "The chain ends here", "1"),
    FIELD_OBJECTS(struct audit_events_out, events, audit_event, EVENTS_MAX, 0, "In order"),
};
FIELD_TABLE(audit_events_out);

static struct db_array array_of(const struct request *req, const struct field_texts *texts,
                                size_t item_max)
{
    struct db_array array = db_array_new(req->arena, texts->count, item_max);

    for (size_t i = 0; i < texts->count; i++)
        db_array_add(&array, texts->items[i]);
    return array;
}

/* Reads the log's end first. Rows become visible in sequence order, so all rows before the end are
 * visible. */
int audit_events_read(struct service *self, const struct request *req,
                      const struct audit_events_in *in, struct audit_events_out *out,
                      struct error *err)
{
    struct db_array projects = {.text = NULL};
    const struct audit_event *events;

    if (!self->audit)
        return 0;
    if (audit_chain_end(self->audit, req, &out->end, err) < 0)
        return -1;
    if (in->after < 0)
        return audit_chain_place(self->audit, req, in->since, out->end, &out->sequence, err);
    out->sequence = MIN(out->end, in->after + EVENTS_SPAN);
    if (out->sequence <= in->after || (!in->everywhere && in->projects.count == 0))
        return 0;
    if (!in->everywhere)
        projects = array_of(req, &in->projects, 36);
    if (audit_chain_events(self->audit, req, in->after, out->sequence,
                           array_of(req, &in->actions, 64), projects, EVENTS_MAX, &out->events,
                           err) < 0)
        return -1;
    events = out->events.items;
    if (out->events.count == EVENTS_MAX)
        out->sequence = events[EVENTS_MAX - 1].sequence;
    return 0;
}
