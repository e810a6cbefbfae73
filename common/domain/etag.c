/* etag.c - see etag.h. */
#include "common/domain/etag.h"

bool etag_is_named(const char *header, const char *etag)
{
    size_t length = strlen(etag);

    while (header && *header) {
        header += strspn(header, " \t,");
        if (*header == '*')
            return true;
        if (strncmp(header, "W/", 2) == 0)
            header += 2;
        if (strncmp(header, etag, length) == 0 &&
            (header[length] == '\0' || strchr(" \t,", header[length])))
            return true;
        /* A quoted tag can contain commas. */
        if (*header == '"')
            header += 1 + strcspn(header + 1, "\"");
        header += strcspn(header, ",");
    }
    return false;
}

bool etag_is_any(const char *header)
{
    return header[strspn(header, " \t")] == '*';
}

bool etag_admits(const char *if_match, const char *etag)
{
    return !if_match || (etag && etag_is_named(if_match, etag));
}

bool etag_is_sent(const char *header, const char *etag)
{
    size_t bare = strlen(etag) - 2;

    return etag_is_named(header, etag) ||
           (header && strlen(header) == bare && strncmp(header, etag + 1, bare) == 0);
}

int etag_bind(const char *if_match, const char *etag, const char *what, const char **ret,
              struct error *err)
{
    *ret = NULL;
    if (!if_match || etag_is_any(if_match))
        return 0;
    if (!etag_is_named(if_match, etag))
        return etag_lost(what, err);
    *ret = etag;
    return 0;
}

int etag_check(const char *if_match, const char *if_none_match, const char *etag, const char *what,
               struct error *err)
{
    if (!etag_admits(if_match, etag))
        return etag_lost(what, err);
    return etag && etag_is_named(if_none_match, etag) ? etag_exists(what, err) : 0;
}

int etag_exists(const char *what, struct error *err)
{
    return error_set(err, ERR_CONFLICT, "The %s is there already.", what);
}

int etag_lost(const char *what, struct error *err)
{
    return error_set(err, ERR_CONFLICT, "The %s was changed meanwhile.", what);
}
