/*
 * session_api.h - the caller and its sessions.
 */
#ifndef ATRIUM_AUTHD_SESSION_SESSION_API_H
#define ATRIUM_AUTHD_SESSION_SESSION_API_H

#include "common/domain/role.h"
#include "common/wire/fields.h"

struct me_project {
    const char *resourceType;
    struct uuid id;
    const char *name;
    const char *brandName; /* on pages and in emails */
    bool strictMode;       /* for FHIR clients; always false */
};
FIELD_DECLARE(me_project);

struct me_membership {
    const char *resourceType;
    struct uuid id;
    bool admin;
    const struct reference *user;
};
FIELD_DECLARE(me_membership);

struct me_name {
    struct field_texts given;
    const char *family;
};
FIELD_DECLARE(me_name);

struct me_telecom {
    const char *system, *use, *value;
};
FIELD_DECLARE(me_telecom);

struct me_profile {
    enum role resourceType;
    struct uuid id;
    struct field_list name, telecom;
};
FIELD_DECLARE(me_profile);

struct me_policy {
    const char *resourceType;
    struct uuid id;
    const char *name, *resource;
};
FIELD_DECLARE(me_policy);

/* For clients that expect menus; empty. */
struct me_menu_link {
    const char *name, *target;
};
FIELD_DECLARE(me_menu_link);

struct me_menu {
    const char *title;
    struct field_list link;
};
FIELD_DECLARE(me_menu);

struct me_config {
    const char *resourceType;
    struct field_list menu;
};
FIELD_DECLARE(me_config);

struct session_record {
    struct uuid id;
    int64_t lastUpdated;
    const char *authMethod, *remoteAddress;
    const char *browser, *os; /* NULL: "unknown" */
    const char *client;       /* JSON: id and name; NULL: no grant, or not requested */
    bool current;
};
FIELD_DECLARE(session_record);

struct session_list {
    struct field_list sessions; /* struct session_record */
};
FIELD_DECLARE(session_list);

enum { SESSIONS_PAGE = 200 }; /* default count */
struct sessions_in {
    int64_t _count, _offset;
};
FIELD_DECLARE(sessions_in);

enum { ME_SESSIONS_MAX = 20 };
struct me_security {
    bool mfaEnrolled, emailVerified;
    struct field_list sessions; /* struct session_record, at most ME_SESSIONS_MAX */
    bool moreSessions;
};
FIELD_DECLARE(me_security);

struct me_out {
    const struct me_project *project;
    const struct me_membership *membership;
    const struct me_profile *profile;
    const struct me_policy *accessPolicy; /* NULL: an empty one */
    const struct me_config *config;
    const struct me_security *security;
};
FIELD_DECLARE(me_out);

struct sessions_revoke_in {
    const char *option; /* path: current, other, all or a session id */
};
FIELD_DECLARE(sessions_revoke_in);

#endif
