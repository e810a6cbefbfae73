/*
 * qr.h - a text as the picture of a QR code. Pure; for mfa.c.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_QR_H
#define ATRIUM_AUTHD_CREDENTIAL_QR_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* "data:image/png;base64,...": black on white with the quiet zone of ISO/IEC 18004; from the arena.
 * NULL when the text (over 2,300 bytes) fits no code. Takes about two milliseconds. */
const char *qr_data_url(struct arena *arena, const char *text);

#endif
