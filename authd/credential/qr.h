/*
 * qr.h - draws a text as a QR code.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_QR_H
#define ATRIUM_AUTHD_CREDENTIAL_QR_H

#include "common/base/arena.h"
#include "common/base/base.h"

/* Returns "data:image/png;base64,...", black on white with the quiet zone of ISO/IEC 18004. NULL:
 * text over 2,300 bytes. Takes about 2 ms. */
const char *qr_data_url(struct arena *arena, const char *text);

#endif
