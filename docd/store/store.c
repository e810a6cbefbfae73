/* store.c - what all stores share; see store.h. */
#include "docd/store/store.h"

#include <string.h>

int store_key_read(const char *text, struct store_key *ret)
{
    const char *slash = strchr(text, '/');
    char project[sizeof(ret->project.text)] = "";

    if (!slash || (size_t)(slash - text) >= sizeof(project))
        return -1;
    memcpy(project, text, (size_t)(slash - text));
    return uuid_parse(project, &ret->project) < 0 ? -1 : uuid_parse(slash + 1, &ret->object);
}
