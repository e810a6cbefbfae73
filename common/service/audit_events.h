/* audit_events.h - the operation audit_events: projects' events for other daemons. */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_EVENTS_H
#define ATRIUM_COMMON_SERVICE_AUDIT_EVENTS_H

#include "common/domain/request.h"

struct service;

enum { AUDIT_EVENT_PROJECTS_MAX = 500, AUDIT_EVENT_ACTIONS_MAX = 64 };

struct audit_events_in {
    int64_t after;               /* last sequence number read; negative: only find it for `since` */
    int64_t since;               /* contract time in ms before which to start; 0: the log's end */
    struct field_texts actions;  /* actions to report, such as "session.create" */
    bool everywhere;             /* all projects, not `projects` */
    struct field_texts projects; /* ids */
};
FIELD_DECLARE(audit_events_in);

/* Events up to `sequence`; more can follow unless `end` is set. */
struct audit_events_out {
    int64_t sequence, end;
    struct field_list events; /* struct audit_event */
};
FIELD_DECLARE(audit_events_out);

/* Answers audit_events; the caller continues after `sequence`. Parks. */
int audit_events_read(struct service *self, const struct request *req,
                      const struct audit_events_in *in, struct audit_events_out *out,
                      struct error *err) MUST_USE;

#endif
