/*
 * domain_api.h - the domains of email addresses that a project has verified.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_DOMAIN_API_H
#define ATRIUM_AUTHD_FEDERATION_DOMAIN_API_H

#include "common/wire/fields.h"

enum { DOMAINS_MAX = 20 }; /* per project, see domain_add.sql */

struct project_domain_in {
    const char *domain;
};
FIELD_DECLARE(project_domain_in);

struct project_domain_path_in {
    const char *domain;
};
FIELD_DECLARE(project_domain_path_in);

struct project_domain {
    const char *domain; /* in ASCII and lower case */
    const char *state;
    const char *recordName, *recordValue; /* the TXT record that verifies it; value NULL: none */
    const char *token;                    /* the secret part of recordValue */
    int64_t createdAt;
    int64_t expiresAt, verifiedAt, missingSince; /* 0: does not apply */
    bool byOperator;
};
FIELD_DECLARE(project_domain);

struct project_domain_list {
    struct field_list resources; /* struct project_domain */
};
FIELD_DECLARE(project_domain_list);

#endif
