/* audit_fhir.h - an audit row as a FHIR R4 AuditEvent (http://hl7.org/fhir/R4/auditevent.html). */
#ifndef ATRIUM_COMMON_SERVICE_AUDIT_FHIR_H
#define ATRIUM_COMMON_SERVICE_AUDIT_FHIR_H

#include <jansson.h>

#include "common/service/audit_chain.h"

/* Returns a new reference, even if the row's event is no JSON object. `service` owns the log. */
json_t *audit_fhir_event(const char *service, const struct audit_record *record,
                         struct arena *arena);

/* Returns the row's unique "urn:uuid:...", derived from its hash. */
const char *audit_fhir_url(const struct audit_record *record, struct arena *arena);

#endif
