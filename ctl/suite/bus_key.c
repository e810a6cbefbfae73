/*
 * bus_key.c - `atriumctl keys bus`: makes the key that identifies an instance to other hosts. The
 * secret stays in a file for the daemon's user; the printed line belongs in bus_hosts of every
 * host. An existing key is printed again.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/secret.h"
#include "common/bus/bus_hosts.h"
#include "common/service/service.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"

struct bus_key {
    const char *instance, *listen, *key, *file;
};

static const struct field bus_key_rows[] = {
    FIELD_TEXT(struct bus_key, instance, 0, 0, 0, "Instance", "authd.b1"),
    FIELD_TEXT(struct bus_key, listen, 0, 0, 0, "Address on which it listens; - for none",
               "tcp://10.0.0.2:7101"),
    FIELD_TEXT(struct bus_key, key, 0, 0, 0, "Public key",
               "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"),
    FIELD_TEXT(struct bus_key, file, 0, 0, 0, "File of the secret key",
               "/etc/atrium/bus/authd.b1.key"),
};
static FIELD_TABLE(bus_key);

/* Gives the file to the daemon's user and the operator's group. A suite of one user has neither. */
static int give_away(const char *path, const char *service, struct arena *arena, struct error *err)
{
    const char *name = arena_printf(arena, "atrium-%s", service);
    const struct passwd *user = getpwnam(name);
    const struct group *group = getgrnam(name);
    bool operators = strcmp(service, "ctl") == 0;

    if (geteuid() != 0 || (operators ? !group : !user))
        return 0;
    if (chown(path, operators ? 0 : user->pw_uid, operators ? group->gr_gid : user->pw_gid) < 0 ||
        chmod(path, operators ? 0640 : 0600) < 0)
        return error_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
    return 0;
}

static int make_key(const char *path, const char *service, struct arena *arena, struct error *err)
{
    uint8_t key[BUS_KEY_SIZE];
    char digits[2 * BUS_KEY_SIZE + 2];
    int result;

    randombytes_buf(key, sizeof(key));
    sodium_bin2hex(digits, sizeof(digits) - 1, key, sizeof(key));
    strcat(digits, "\n");
    result = files_replace(path, 0600, digits, err);
    sodium_memzero(key, sizeof(key));
    sodium_memzero(digits, sizeof(digits));
    if (result < 0 || give_away(path, service, arena, err) == 0)
        return result;
    unlink(path); /* the next run would keep an unreadable file */
    return -1;
}

static int read_service(const char *name, const char **ret, struct arena *arena, struct error *err)
{
    size_t length = strcspn(name, ".");

    *ret = arena_strndup(arena, name, length);
    if (name[length] == '.' && bus_name_ok(name + length + 1, strlen(name + length + 1))) {
        for (size_t i = 0; ctl_bus_services[i]; i++) {
            if (strcmp(ctl_bus_services[i], *ret) == 0)
                return 0;
        }
        if (strcmp(*ret, "ctl") == 0)
            return 0;
    }
    return error_set(err, ERR_BAD_REQUEST, "%s is not the name of an instance, such as authd.b1",
                     name);
}

static int take_key(struct ctl *ctl, const char *name, const char *service, const char **ret,
                    struct error *err)
{
    struct common_config common = {0};
    bool next = arguments_has(&ctl->args, "--next");

    if (ctl_bus_config(ctl, &common, err) < 0)
        return -1;
    *ret = arena_printf(ctl->arena, "%s/%s.key%s", common.bus_keys, name, next ? ".next" : "");
    if (access(*ret, F_OK) == 0)
        return 0;
    if (mkdir(common.bus_keys, 0755) < 0 && errno != EEXIST)
        return error_set(err, ERR_INTERNAL, "%s: %s", common.bus_keys, strerror(errno));
    return make_key(*ret, service, ctl->arena, err);
}

int keys_bus_command(struct ctl *ctl, struct error *err)
{
    CLEANUP(secret_wipe) struct secret key = {.length = 0};
    const char *listen = arguments_get(&ctl->args, "--listen");
    struct bus_key out = {.instance = arguments_get(&ctl->args, "NAME")};
    uint8_t public_key[BUS_KEY_SIZE];
    char text[BUS_KEY_TEXT_SIZE];
    const char *service;

    out.listen = listen ? arena_printf(ctl->arena, "tcp://%s", listen) : "-";
    if (!bus_endpoint_ok(out.listen))
        return error_set(err, ERR_BAD_REQUEST,
                         "--listen must be a numeric address and a port, such as 10.0.0.2:7101");
    if (read_service(out.instance, &service, ctl->arena, err) < 0 ||
        take_key(ctl, out.instance, service, &out.file, err) < 0 ||
        secret_load_key(out.file, &key, err) < 0)
        return -1;
    bus_hosts_public_key(key.bytes, public_key);
    bus_hosts_key_text(public_key, text);
    out.key = text;
    if (ctl->json)
        output_record(ctl, &bus_key_table, &out);
    else
        printf("%s %s %s\n", out.instance, out.listen, out.key);
    return 0;
}
