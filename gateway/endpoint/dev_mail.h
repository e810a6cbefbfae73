/*
 * dev_mail.h - /dev/mail: the page of captured emails that a development suite writes into run_dir.
 * No installation has it.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_DEV_MAIL_H
#define ATRIUM_GATEWAY_ENDPOINT_DEV_MAIL_H

struct exchange;

/* Answers with the page, or 404 before there is one. */
void dev_mail_serve(struct exchange *exchange);

#endif
