/* audit_fhir.h - an audit row as a FHIR R4 AuditEvent (http://hl7.org/fhir/R4/auditevent.html). */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_FHIR_H
#define ATRIUM_COMMON_SERVICE_AUDIT_FHIR_H

#include <jansson.h>

#include "common/service/audit_chain.h"

/* New reference; service: the trail's. An AuditEvent even if the row's event is no JSON object. */
json_t *audit_fhir_event(const char *service, const struct audit_record *record,
                         struct arena *arena);

/* "urn:uuid:...", the same for the same row and no other: made from its hash. From the arena. */
const char *audit_fhir_url(const struct audit_record *record, struct arena *arena);

#endif
