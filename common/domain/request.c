/* request.c - see request.h. */
#include "common/domain/request.h"

static const struct field caller_rows[] = {
    FIELD_UUID(struct caller, account, 0, "Account that signed in"),
    FIELD_UUID(struct caller, membership, 0, "Its membership in the project"),
    FIELD_UUID(struct caller, project, FIELD_REQUIRED, "Project that the token is bound to"),
    FIELD_UUID(struct caller, session, 0, "Session of the token"),
    FIELD_UUID(struct caller, profile, FIELD_REQUIRED, "Profile in the project"),
    FIELD_UUID(struct caller, tokenId, 0, "jti of the presented access token"),
    FIELD_ENUM(struct caller, role, role, role_texts, FIELD_REQUIRED, "Role of the account",
               "Patient"),
    FIELD_TEXT(struct caller, display, 0, 1200, 0, "Name of the profile", "Ana Lima"),
    FIELD_TEXT(struct caller, addressKey, 0, 64, 0, "Seals its network addresses", ""),
    FIELD_BOOL(struct caller, admin, false, 0, "Administers the project"),
    FIELD_TEXT(struct caller, projectName, 0, 1024, 0, "Name of the project", "Lakeside Clinic"),
    FIELD_TEXT(struct caller, brandName, 0, 1024, 0, "Name in its branding", "Lakeside"),
    FIELD_UUID(struct caller, policy, 0, "Access policy of the membership"),
    FIELD_TEXT(struct caller, policyName, 0, 1024, 0, "Its name", "Patients"),
    /* Text instead of JSON: each request has it, and it was checked when written. */
    FIELD_TEXT(struct caller, policyResource, 0, 262144, 0, "Its rules, a JSON array", "[]"),
    FIELD_INT(struct caller, until, 0, INT64_MAX, 0, FIELD_OMIT_ZERO, "When the account is deleted",
              "0"),
    FIELD_BOOL(struct caller, secondFactor, false, 0, "The session has a second factor"),
    FIELD_INT(struct caller, documentsMax, 0, INT64_MAX, 0, FIELD_OMIT_ZERO,
              "Documents that the account may keep", "10000"),
    FIELD_INT(struct caller, bytesMax, 0, INT64_MAX, 0, FIELD_OMIT_ZERO,
              "Bytes that the account may keep", "10737418240"),
    FIELD_INT(struct caller, projectBytesMax, 0, INT64_MAX, 0, FIELD_OMIT_ZERO,
              "Bytes that the project may keep", "0"),
};
FIELD_TABLE(caller);

static bool has_role(const struct request *req, enum role role)
{
    return req->caller && req->caller->role == role;
}

bool request_is_practitioner(const struct request *req)
{
    return has_role(req, ROLE_PRACTITIONER);
}

bool request_is_key(const struct request *req)
{
    return has_role(req, ROLE_DEVICE);
}

bool request_is_admin(const struct request *req)
{
    return request_is_practitioner(req) && req->caller->admin;
}

int refuse_read_only(struct error *err)
{
    return error_retry(err, ERR_PROJECT_READ_ONLY, PROJECT_READ_ONLY_RETRY_S,
                       PROJECT_READ_ONLY_TEXT);
}
