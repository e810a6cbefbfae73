/*
 * dev_usage.h - options of atrium-dev and `atriumctl dev`.
 */
#ifndef ATRIUM_CTL_DEV_USAGE_H
#define ATRIUM_CTL_DEV_USAGE_H

#define DEV_USAGE                                                                      \
    "[--port N] [--instances NAME=N,...] [--no-demo] [--smtp HOST:PORT] [--bot-allow " \
    "NETWORK,...] "                                                                    \
    "[--s3 URL] [--s3-key K] [--s3-secret-file FILE] [--s3-secret S] [--s3-bucket B] " \
    "[--max-upload BYTES] [--set SECTION.KEY=VALUE,...] [--database CONNINFO] "        \
    "[--test-clock]"
#define DEV_SUMMARY "run a whole suite for development in the foreground"
#define DEV_NOTE                                                                                 \
    "All users of the machine can see a command's arguments in the list of processes (ps),\n"    \
    "and the shell stores them in its history. So use --s3-secret, or a password in CONNINFO,\n" \
    "only where that does no harm. --s3-secret-file reads the secret from the first line of\n"   \
    "FILE, which only its owner can read; passfile=FILE in CONNINFO names a password file."

#endif
