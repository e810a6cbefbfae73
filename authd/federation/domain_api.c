/*
 * domain_api.c - shapes of verified domains. See authd_api.c.
 */
#include "authd/federation/domain_api.h"

enum { DOMAIN_SIZE_MAX = 253, RECORD_MAX = 300, TOKEN_MAX = 64 };

static const char *const states[] = {"pending", "expired", "verified", "missing", "lost", NULL};

static const struct field project_domain_in_rows[] = {
    FIELD_TEXT(struct project_domain_in, domain, 1, DOMAIN_SIZE_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS,
               "The domain after the @ of email addresses; subdomains are domains of their own.",
               "clinic.example"),
};
FIELD_TABLE(project_domain_in);

static const struct field project_domain_path_in_rows[] = {
    FIELD_TEXT(struct project_domain_path_in, domain, 1, DOMAIN_SIZE_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the domain.", "clinic.example"),
};
FIELD_TABLE(project_domain_path_in);

static const struct field project_domain_rows[] = {
    FIELD_TEXT(struct project_domain, domain, 1, DOMAIN_SIZE_MAX, FIELD_REQUIRED,
               "The domain in ASCII and lower case.", "clinic.example"),
    FIELD_CHOICE(
        struct project_domain, state, states, FIELD_REQUIRED,
        "`pending`: publish the record, then verify; `expired`: add the domain again for a "
        "new record; `verified`; `missing`: verified, but the record is gone, and after "
        "seven days the domain is lost; `lost`: no longer verified, add it again.",
        "pending"),
    FIELD_TEXT(struct project_domain, recordName, 1, RECORD_MAX, FIELD_REQUIRED,
               "Name of the TXT record.", "_atrium.clinic.example"),
    FIELD_TEXT(struct project_domain, recordValue, 1, RECORD_MAX, FIELD_NULLABLE,
               "Value of the TXT record; null if the domain is lost, or an operator verified it.",
               "atrium-domain-verification=mHk2tq0uYw1VxT5oJf8ZcA"),
    FIELD_TEXT(struct project_domain, token, 1, TOKEN_MAX, FIELD_INTERNAL,
               "Random token in the record.", ""),
    FIELD_TIME(struct project_domain, createdAt, FIELD_REQUIRED,
               "When the value of the record was chosen.", "2026-11-28T08:00:00.000Z"),
    FIELD_TIME(
        struct project_domain, expiresAt, FIELD_NULLABLE,
        "When the record expires unless the domain is verified by then; null once it is verified.",
        "2026-12-05T08:00:00.000Z"),
    FIELD_TIME(struct project_domain, verifiedAt, FIELD_NULLABLE, "When the domain was verified."),
    FIELD_TIME(struct project_domain, missingSince, FIELD_NULLABLE,
               "When the record of a verified domain was first missing."),
    FIELD_BOOL(struct project_domain, byOperator, false, FIELD_REQUIRED,
               "Whether an operator verified the domain, without a record."),
};
FIELD_TABLE(project_domain);

static const struct field project_domain_list_rows[] = {
    FIELD_OBJECTS(struct project_domain_list, resources, project_domain, DOMAINS_MAX,
                  FIELD_REQUIRED, "Domains of the project, by name."),
};
FIELD_TABLE(project_domain_list);
