/*
 * setting_names.c - the settings that exist, and what a URL among them looks like.  Used by
 * settings.c.
 */
#include "settingsd/setting_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { URL_MAX = 2048, PORT_MAX = 65535, PORT_DIGITS = 5 };

static const struct setting settings[] = {
    {"PATIENT_REGISTRATION_ENABLED", SETTING_SWITCH, false},
    {"PATIENT_INVITATION_ENABLED", SETTING_SWITCH, false},
    {"PATIENT_LOGIN_ENABLED", SETTING_SWITCH, false},
    {"PRACTITIONER_REGISTRATION_ENABLED", SETTING_SWITCH, false},
    {"PRACTITIONER_INVITATION_ENABLED", SETTING_SWITCH, false},
    {"PRACTITIONER_LOGIN_ENABLED", SETTING_SWITCH, false},
    {"CLINICIAN_INVITE_ON_BUSINESS_EMAIL", SETTING_SWITCH, false},
    {"DEFAULT_PRACTITIONER_ACCESS_POLICY", SETTING_POLICY, false},
    {"PRACTITIONER_APP_URL", SETTING_URL, false},
    {"PATIENT_APP_URL", SETTING_URL, false},
    {SETTING_DEFAULT_PATIENT_POLICY, SETTING_POLICY, true},
};

const struct setting *setting_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    }
    return NULL;
}

/* "" or ":" and a port number. */
static bool is_port(const char *text, size_t length)
{
    char digits[PORT_DIGITS + 1] = "";

    if (length == 0)
        return true;
    if (text[0] != ':' || length < 2 || length > PORT_DIGITS + 1)
        return false;
    memcpy(digits, text + 1, length - 1);
    if (strspn(digits, "0123456789") != length - 1)
        return false;

    long port = strtol(digits, NULL, 10);

    return port > 0 && port <= PORT_MAX;
}

/* A host name, an IPv4 address or an IPv6 address in brackets, then an optional port. */
static bool is_authority(const char *text, size_t length)
{
    size_t host = 0;

    if (length > 0 && text[0] == '[') {
        while (host < length && text[host] != ']')
            host++;
        if (host < 3 || host == length || strspn(text + 1, "0123456789abcdefABCDEF:.") != host - 1)
            return false;
        return is_port(text + host + 1, length - host - 1);
    }
    while (host < length && (isalnum((unsigned char)text[host]) || strchr("-._", text[host])))
        host++;
    return host > 0 && text[0] != '.' && text[0] != '-' && is_port(text + host, length - host);
}

bool setting_is_url(const char *text)
{
    const char *rest;

    if (strncasecmp(text, "https://", 8) == 0)
        rest = text + 8;
    else if (strncasecmp(text, "http://", 7) == 0)
        rest = text + 7;
    else
        return false;
    for (const char *p = rest; *p; p++) {
        if (*p <= ' ' || *p > '~' || strchr("\"<>\\^`{|}", *p))
            return false;
    }
    return strlen(text) <= URL_MAX && is_authority(rest, strcspn(rest, "/?#"));
}
