/*
 * bus_raw.h - a peer of the bus that is a bare ZeroMQ socket and speaks WIRE.md by hand, so that a
 * test can send what the bus must survive.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BUS_RAW_H
#define ATRIUM_TESTS_SUPPORT_BUS_RAW_H

#include "tests/support/bus_kit.h"

struct raw {
    void *context, *socket;
    uint64_t boot; /* of the instance, once it said WELCOME */
    char code[65]; /* of the last ERROR */
};

/* Packs a frame by its elements: s text, u uint, i int, b bin of an empty map, n bin of nothing, f
 * false. Its size. */
size_t raw_pack(char *frame, int kind, uint64_t id, const char *elements, ...);

/* A REQUEST of that operation for the instance that was started as `boot`; its size. */
size_t raw_pack_request(char *frame, uint64_t id, uint64_t boot, const char *operation);

/* Opens a socket of the bus in the directory of the kit ("settingsd/gateway.1"): binds a ROUTER,
 * connects any other type. */
bool raw_open(struct raw *self, const struct kit *kit, int type, const char *path);
void raw_close(struct raw *self);

/* Sends one frame; it must go out. */
void raw_send(struct raw *self, const void *bytes, size_t size);

/* The kind of the next frame, -1 when none comes within two seconds; its id; the boot of a WELCOME,
 * the code of an ERROR. */
int raw_receive(struct raw *self, uint64_t *ret_id);

/* Says HELLO as that instance: whether a WELCOME comes. */
bool raw_hello(struct raw *self, const char *service, const char *instance);

#endif
