/* devjson.c - see devjson.h. */
#include "dev/devjson.h"

#include <jansson.h>
#include <stdlib.h>

#include "ctl/files.h"

static json_t *daemons_json(const struct devjson *self)
{
    json_t *daemons = json_array();

    for (size_t i = 0; self->children[i]; i++) {
        const struct child *child = self->children[i];

        if (child == self->postgres)
            continue;
        json_array_append_new(daemons,
                              json_pack("{s:s, s:s, s:i}", "name", child_name(child), "instance",
                                        child_instance(child), "pid", (int)child_pid(child)));
    }
    return daemons;
}

int devjson_write(const struct devjson *self, const char *path, pid_t pid, struct error *err)
{
    json_auto_t *json =
        json_pack("{s:s, s:s, s:s, s:i, s:{s:s, s:i}, s:o, s:s, s:s?, s:s, s:s, s:o}", "baseUrl",
                  self->base_url, "publicUrl", self->public_url, "adminUrl", self->admin_url, "pid",
                  (int)pid, "postgres", "conninfo", self->conninfo, "pid",
                  self->postgres ? (int)child_pid(self->postgres) : 0, "daemons",
                  daemons_json(self), "mailDir", self->mail_dir, "clockFile", self->clock_file,
                  "busDir", self->bus_dir, "botDir", self->bot_dir, "demo",
                  self->demo ? demo_json(self->demo) : json_null());
    CLEANUP(memory_free) char *text = json_dumps(json, JSON_INDENT(2));

    if (!text)
        return error_set(err, ERR_INTERNAL, "%s: not UTF-8", path);
    return files_replace(path, 0600, text, err);
}
