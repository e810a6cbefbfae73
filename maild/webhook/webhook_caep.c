/* webhook_caep.c - webhooks of the format caep, see webhook.h. */
#include <jansson.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/oauth/oauth_api.h"
#include "common/service/fetch.h"
#include "common/wire/codec.h"
#include "maild/webhook/webhook.h"
#include "maild/webhook_api.h"

enum { STATUS_ACCEPTED = 202, STATUS_BAD_REQUEST = 400 };

int webhook_format_check(const struct webhook_in *in, const char *format, bool is_new,
                         struct error *err)
{
    if (strcmp(format, WEBHOOK_CAEP) != 0)
        return in->audience ? error_problem(err, "audience", "is for the format caep alone") : 0;
    for (size_t i = 0; i < in->events.count; i++) {
        if (strcmp(in->events.items[i], "session.revoked") != 0)
            return error_problem(err, "events", "must be session.revoked with the format caep");
    }
    if (is_new && !in->audience)
        return error_problem(err, "audience", "is required with the format caep");
    return 0;
}

static struct uuid id_of(const json_t *data, const char *name, const char *prefix)
{
    const char *text = json_string_value(json_object_get(data, name));
    struct uuid id = {.text = ""};

    if (text && strncmp(text, prefix, strlen(prefix)) == 0)
        (void)!uuid_parse(text + strlen(prefix), &id);
    return id;
}

int webhook_caep_token(struct maild *d, const struct request *req, const struct caep_event *event,
                       const char **ret, struct error *err)
{
    json_auto_t *body = json_loads(event->body, 0, NULL);
    const json_t *data = json_object_get(body, "data");
    const struct security_event_sign_in in = {.projectId = event->project,
                                              .sessionId = id_of(data, "subject", "Session/"),
                                              .id = event->id,
                                              .account = id_of(data, "account", ""),
                                              .actor = id_of(data, "actor", ""),
                                              .audience = event->audience,
                                              .at = event->at};
    struct security_event_token out;

    if (authd_security_event_sign(d->svc.bus, req, &in, &out, err) < 0)
        return -1;
    *ret = out.token;
    return 0;
}

bool webhook_caep_taken(const struct fetch_answer *answer)
{
    return answer->status == STATUS_ACCEPTED;
}

/* final: a retry is useless. */
static const struct refusal {
    const char *err;
    bool final;
} refusals[] = {
    {"invalid_request", true}, {"invalid_issuer", true},         {"invalid_audience", true},
    {"invalid_key", false},    {"authentication_failed", false}, {"access_denied", false},
};

static const struct refusal *find_refusal(const char *err)
{
    for (size_t i = 0; err && i < ARRAY_SIZE(refusals); i++) {
        if (strcmp(refusals[i].err, err) == 0)
            return &refusals[i];
    }
    return NULL;
}

const char *webhook_caep_refusal(const struct fetch_answer *answer, bool *ret_final)
{
    json_auto_t *body = NULL;
    const struct refusal *found;
    struct error ignored;

    *ret_final = false;
    if (answer->status != STATUS_BAD_REQUEST || !answer->body)
        return NULL;
    error_init(&ignored, NULL);
    body = codec_parse_json(answer->body, answer->size, true, &ignored);
    found = find_refusal(json_string_value(json_object_get(body, "err")));
    if (!found)
        return NULL;
    *ret_final = found->final;
    return found->err;
}
