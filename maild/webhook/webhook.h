/*
 * webhook.h - what the files of webhooks share: the secret that signs what is posted.
 */
#ifndef ATRIUM_MAILD_WEBHOOK_WEBHOOK_H
#define ATRIUM_MAILD_WEBHOOK_WEBHOOK_H

#include "maild/maild.h"

/* What secrets of webhooks are sealed for. */
#define WEBHOOK_SECRET_PURPOSE "webhook secret"

#endif
