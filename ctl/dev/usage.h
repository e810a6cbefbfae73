/*
 * usage.h - the options of atrium-dev: what it parses (arguments.h) and what `atriumctl dev`, which
 * runs it, completes and prints with --help.
 */
#ifndef ATRIUM_CTL_DEV_USAGE_H
#define ATRIUM_CTL_DEV_USAGE_H

#define DEV_USAGE                                                                      \
    "[--port N] [--instances NAME=N,...] [--no-demo] [--smtp HOST:PORT] [--bot-allow " \
    "NETWORK,...] "                                                                    \
    "[--s3 URL] [--s3-key K] [--s3-secret S] [--s3-bucket B] [--max-upload BYTES] "    \
    "[--set SECTION.KEY=VALUE,...] [--database CONNINFO] [--test-clock]"
#define DEV_SUMMARY "run the whole suite in the foreground"

#endif
