/* audit_events.h - what happened in projects, for other daemons: the operation audit_events. */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_EVENTS_H
#define ATRIUM_COMMON_SERVICE_AUDIT_EVENTS_H

#include "common/domain/request.h"

struct service;

enum { AUDIT_EVENT_PROJECTS_MAX = 500, AUDIT_EVENT_ACTIONS_MAX = 64 };

struct audit_events_in {
    int64_t after; /* sequence; negative: no events, only the place that `since` names */
    int64_t since; /* contract time, ms: the place before what was written then; 0: the end */
    struct field_texts actions;  /* "session.create" */
    bool everywhere;             /* of all projects, else of these */
    struct field_texts projects; /* ids */
};
FIELD_DECLARE(audit_events_in);

/* All between `after` and `sequence`; there may be more unless it is the `end`. */
struct audit_events_out {
    int64_t sequence, end;
    struct field_list events; /* struct audit_event */
};
FIELD_DECLARE(audit_events_out);

/* Answers audit_events. The caller goes on behind `sequence`. Parks. */
int audit_events_read(struct service *self, const struct request *req,
                      const struct audit_events_in *in, struct audit_events_out *out,
                      struct error *err) MUST_USE;

#endif
