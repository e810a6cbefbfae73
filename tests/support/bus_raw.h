/*
 * bus_raw.h - a bus peer with a plain ZeroMQ socket that speaks WIRE.md by hand, to send what the
 * bus must survive.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BUS_RAW_H
#define ATRIUM_TESTS_SUPPORT_BUS_RAW_H

#include "tests/support/bus_kit.h"

struct raw {
    void *context, *socket;
    uint64_t boot; /* from the instance's WELCOME */
    char code[65];
};

/* Packs a frame and returns its size. Elements: s text, u uint, i int, b bin of an empty map, n
 * empty bin, f false. */
size_t raw_pack(char *frame, int kind, uint64_t id, const char *elements, ...);

/* Packs a REQUEST for the instance started as `boot` and returns its size. */
size_t raw_pack_request(char *frame, uint64_t id, uint64_t boot, const char *operation);

/* Opens a socket in the kit's directory ("settingsd/gateway.1"): binds a ROUTER, connects other
 * types. */
bool raw_open(struct raw *self, const struct kit *kit, int type, const char *path);
void raw_close(struct raw *self);

/* Sends one frame without waiting. */
void raw_send(struct raw *self, const void *bytes, size_t size);

/* Returns the next frame's kind, -1 after two seconds, and its id. Sets self->boot from a WELCOME
 * and self->code from an ERROR. */
int raw_receive(struct raw *self, uint64_t *ret_id);

/* Sends HELLO as that instance and returns whether WELCOME arrives. */
bool raw_hello(struct raw *self, const char *service, const char *instance);

#endif
