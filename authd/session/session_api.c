/*
 * session_api.c - see session_api.h.
 */
#include "authd/session/session_api.h"

#include <stdio.h>
#include <string.h>

#include "authd/shape_api.h"
#include "common/domain/policy.h"
#include "common/domain/reference.h"

enum {
    SESSIONS_MAX = 10000,
    SESSIONS_PAGE_MAX = 1000,
    SESSION_CLIENT_MAX = 2048,
    POLICY_JSON_MAX = 65536,
    MENU_MAX = 100,
};

static const char *const project_type[] = {"Project", NULL};
static const char *const membership_type[] = {"ProjectMembership", NULL};
static const char *const policy_type[] = {"AccessPolicy", NULL};
static const char *const configuration_type[] = {"UserConfiguration", NULL};

#define NO_POLICY "{\"resourceType\":\"AccessPolicy\",\"resource\":[]}"

static int check_session_option(const char *value, char why[static 96])
{
    struct uuid id;

    if (strcmp(value, "current") == 0 || strcmp(value, "other") == 0 || strcmp(value, "all") == 0 ||
        uuid_parse(value, &id) == 0)
        return 0;
    snprintf(why, 96, "must be current, other, all or a UUID");
    return -1;
}

static const struct field me_project_rows[] = {
    FIELD_CHOICE(struct me_project, resourceType, project_type, FIELD_REQUIRED, "Always Project.",
                 "Project"),
    FIELD_UUID(struct me_project, id, FIELD_REQUIRED, "ID of the project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_TEXT(struct me_project, name, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the project.", "Lakeside Clinic"),
    FIELD_TEXT(struct me_project, brandName, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name on pages and in emails: the branding's name if it has one, otherwise `name`.",
               "Lakeside"),
    FIELD_BOOL(struct me_project, strictMode, false, 0,
               "Always false: no resource is checked against FHIR profiles.", "false"),
};
FIELD_TABLE(me_project);

static const struct field me_membership_rows[] = {
    FIELD_CHOICE(struct me_membership, resourceType, membership_type, FIELD_REQUIRED,
                 "Always ProjectMembership.", "ProjectMembership"),
    FIELD_UUID(struct me_membership, id, FIELD_REQUIRED,
               "ID of the user's membership in the project.",
               "0199d4e1-3c5a-7b90-a2f8-4d6e8b1c7f03"),
    FIELD_BOOL(struct me_membership, admin, false, FIELD_REQUIRED,
               "Whether the user administers the project.", "false"),
    FIELD_OBJECT(struct me_membership, user, reference, FIELD_REQUIRED,
                 "The user's profile in the project."),
};
FIELD_TABLE(me_membership);

static const struct field me_name_rows[] = {
    FIELD_TEXTS(struct me_name, given, 0, DISPLAY_MAX, 10, FIELD_REQUIRED | FIELD_CHARACTERS,
                "Given names.", "Ana"),
    FIELD_TEXT(struct me_name, family, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Family name.", "Lima"),
};
FIELD_TABLE(me_name);

static const struct field me_telecom_rows[] = {
    FIELD_TEXT(struct me_telecom, system, 1, 32, FIELD_REQUIRED, "Kind of contact.", "email"),
    FIELD_TEXT(struct me_telecom, use, 1, 32, 0, "What it is used for.", "home"),
    FIELD_TEXT(struct me_telecom, value, 1, 254, FIELD_REQUIRED, "The address.", "ana@example.org"),
};
FIELD_TABLE(me_telecom);

static const struct field me_profile_rows[] = {
    FIELD_ENUM(struct me_profile, resourceType, role, account_roles, FIELD_REQUIRED,
               "Role of the user.", "Patient"),
    FIELD_UUID(struct me_profile, id, FIELD_REQUIRED, "ID of the profile."),
    FIELD_OBJECTS(struct me_profile, name, me_name, 10, FIELD_REQUIRED, "Names."),
    FIELD_OBJECTS(struct me_profile, telecom, me_telecom, 10, FIELD_REQUIRED, "Contact details."),
};
FIELD_TABLE(me_profile);

static const struct field me_policy_rows[] = {
    FIELD_CHOICE(struct me_policy, resourceType, policy_type, FIELD_REQUIRED,
                 "Always AccessPolicy.", "AccessPolicy"),
    FIELD_UUID(struct me_policy, id, 0, "ID of the policy; absent if there is none."),
    FIELD_TEXT(struct me_policy, name, 0, DISPLAY_MAX, FIELD_CHARACTERS, "Name of the policy.",
               "Own documents"),
    FIELD_JSON_LIST(
        struct me_policy, resource, policy_rule, POLICY_JSON_MAX, 0,
        "Rules of the policy; empty if there is none.",
        "[{\"resourceType\":\"DocumentReference\",\"interaction\":[\"read\",\"search\"]}]"),
};
FIELD_TABLE(me_policy);

static const struct field me_menu_link_rows[] = {
    FIELD_TEXT(struct me_menu_link, name, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the entry.", "Documents"),
    FIELD_TEXT(struct me_menu_link, target, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Path in the application.", "/documents"),
};
FIELD_TABLE(me_menu_link);

static const struct field me_menu_rows[] = {
    FIELD_TEXT(struct me_menu, title, 0, DISPLAY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Heading of the menu.", "Files"),
    FIELD_OBJECTS(struct me_menu, link, me_menu_link, MENU_MAX, FIELD_REQUIRED,
                  "Entries of the menu."),
};
FIELD_TABLE(me_menu);

static const struct field me_config_rows[] = {
    FIELD_CHOICE(struct me_config, resourceType, configuration_type, FIELD_REQUIRED,
                 "Always UserConfiguration.", "UserConfiguration"),
    FIELD_OBJECTS(struct me_config, menu, me_menu, MENU_MAX, 0, "Always empty."),
};
FIELD_TABLE(me_config);

static const struct field session_record_rows[] = {
    FIELD_UUID(struct session_record, id, FIELD_REQUIRED, "ID of the session.",
               "019b2f7a-90c4-7d18-b6e5-2a7f0c3d9e41"),
    FIELD_TIME(struct session_record, lastUpdated, FIELD_REQUIRED,
               "When the session's tokens were last refreshed."),
    FIELD_TEXT(struct session_record, authMethod, 1, 64, FIELD_REQUIRED, "How the user signed in.",
               "password"),
    FIELD_TEXT(struct session_record, remoteAddress, 0, 64, FIELD_REQUIRED,
               "IP address of the sign-in.", "192.0.2.7"),
    FIELD_TEXT_OR(struct session_record, browser, 0, 128, "\"unknown\"", 0,
                  "Browser from the User-Agent header, or `unknown`.", "Firefox"),
    FIELD_TEXT_OR(struct session_record, os, 0, 128, "\"unknown\"", 0,
                  "Operating system from the User-Agent header, or `unknown`.", "Linux"),
    FIELD_JSON_MAP(struct session_record, client, SESSION_CLIENT_MAX, 0,
                   "ID and name of the OAuth client whose grant the session is. Absent for direct "
                   "sign-ins and in `GET /auth/me`.",
                   "{\"id\":\"0199a0c0-0000-7000-8000-000000000000\",\"name\":\"Growth chart\"}"),
    FIELD_BOOL(struct session_record, current, false, FIELD_REQUIRED,
               "Whether this is the session of the request's access token."),
};
FIELD_TABLE(session_record);

static const struct field session_list_rows[] = {
    FIELD_OBJECTS(struct session_list, sessions, session_record, SESSIONS_MAX, FIELD_REQUIRED,
                  "The caller's active sessions."),
};
FIELD_TABLE(session_list);

static const struct field sessions_in_rows[] = {
    FIELD_INT(struct sessions_in, _count, 1, SESSIONS_PAGE_MAX, SESSIONS_PAGE, FIELD_QUERY,
              "Maximum number of sessions to return.", "20"),
    FIELD_INT(struct sessions_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY,
              "Number of sessions to skip.", "0"),
};
FIELD_TABLE(sessions_in);

static const struct field me_security_rows[] = {
    FIELD_BOOL(struct me_security, mfaEnrolled, false, FIELD_REQUIRED,
               "Whether the account has a second factor."),
    FIELD_BOOL(struct me_security, emailVerified, false, 0,
               "Whether the email address is verified."),
    FIELD_OBJECTS(struct me_security, sessions, session_record, SESSIONS_MAX, FIELD_REQUIRED,
                  "The newest 20 active sessions, including the current one."),
    FIELD_BOOL(struct me_security, moreSessions, false, 0,
               "Whether there are more sessions; `GET /auth/session` lists all.", "false"),
};
FIELD_TABLE(me_security);

static const struct field me_out_rows[] = {
    FIELD_OBJECT(struct me_out, project, me_project, FIELD_REQUIRED,
                 "The project that the token is for."),
    FIELD_OBJECT(struct me_out, membership, me_membership, FIELD_REQUIRED,
                 "The user's membership in the project."),
    FIELD_OBJECT(struct me_out, profile, me_profile, FIELD_REQUIRED, "The user's profile."),
    FIELD_OBJECT_OR(
        struct me_out, accessPolicy, me_policy, NO_POLICY, 0,
        "What the user can do; without `id` and rules if the membership has no policy."),
    FIELD_OBJECT(struct me_out, config, me_config, FIELD_REQUIRED, "The user's configuration."),
    FIELD_OBJECT(struct me_out, security, me_security, FIELD_REQUIRED,
                 "Second factor and sessions."),
};
FIELD_TABLE(me_out);

static const struct field sessions_revoke_in_rows[] = {
    FIELD_CHECKED(
        struct sessions_revoke_in, option, 1, 64, check_session_option, FIELD_PATH | FIELD_REQUIRED,
        "`current`, `other` (all but the current one), `all`, or the ID of one session.", "other"),
};
FIELD_TABLE(sessions_revoke_in);
