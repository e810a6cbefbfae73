/*
 * dev_mail.h - /dev/mail: captured emails of a development suite, as it writes them to run_dir.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_DEV_MAIL_H
#define ATRIUM_GATEWAY_ENDPOINT_DEV_MAIL_H

struct exchange;

void dev_mail_serve(struct exchange *exchange);

#endif
