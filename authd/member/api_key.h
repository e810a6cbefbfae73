/*
 * api_key.h - the networks of API keys and of other tokens of a project.
 */
#ifndef ATRIUM_AUTHD_MEMBER_API_KEY_H
#define ATRIUM_AUTHD_MEMBER_API_KEY_H

#include "authd/authd.h"

/* Checks the input `addresses`. Fails: a problem for each that is no IP network. */
int api_key_networks(const struct request *req, const struct field_texts *addresses,
                     struct db_array *ret, struct error *err) MUST_USE;

#endif
