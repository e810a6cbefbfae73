/*
 * dev_mail.h - /dev/mail: the page of captured emails, which a development suite writes to run_dir.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_DEV_MAIL_H
#define ATRIUM_GATEWAY_ENDPOINT_DEV_MAIL_H

struct exchange;

/* Answers with the page, or with 404 until it exists. */
void dev_mail_serve(struct exchange *exchange);

#endif
