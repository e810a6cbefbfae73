/*
 * user_agent.c - the first match wins, so browsers that imitate another come before it.
 */
#include "authd/credential/user_agent.h"

#include <string.h>

#include "common/base/base.h"

struct mark {
    const char *text, *name;
};

static const struct mark browsers[] = {
    {"Edg/", "Edge"},
    {"EdgA/", "Edge"},
    {"EdgiOS/", "Edge"},
    {"OPR/", "Opera"},
    {"SamsungBrowser/", "Samsung Internet"},
    {"FxiOS/", "Firefox"},
    {"Firefox/", "Firefox"},
    {"CriOS/", "Chrome"},
    {"Chrome/", "Chrome"},
    {"Version/", "Safari"},
    {"curl/", "curl"},
};

static const struct mark systems[] = {
    {"Windows", "Windows"}, {"Android", "Android"}, {"iPhone", "iOS"},  {"iPad", "iPadOS"},
    {"CrOS", "ChromeOS"},   {"Mac OS X", "macOS"},  {"Linux", "Linux"},
};

static const char *first_match(const struct mark *marks, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, marks[i].text))
            return marks[i].name;
    }
    return NULL;
}

const char *user_agent_browser(const char *text)
{
    return first_match(browsers, ARRAY_SIZE(browsers), text);
}

const char *user_agent_os(const char *text)
{
    return first_match(systems, ARRAY_SIZE(systems), text);
}
