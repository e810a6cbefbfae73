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
#define DEV_SUMMARY "run the whole suite in the foreground"
#define DEV_NOTE                                                                               \
    "All users of the machine can read the words of a command in the list of processes\n"      \
    "(ps), and the shell keeps them: --s3-secret and a password in CONNINFO are for servers\n" \
    "where that does no harm. --s3-secret-file reads the first line of FILE, which only its\n" \
    "owner may read; passfile=FILE in CONNINFO names a file of passwords."

#endif
