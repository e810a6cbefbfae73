/*
 * config_line.h - one line of a configuration file (ZPL, https://rfc.zeromq.org/spec/4/). Replaces
 * czmq's zconfig, which prints errors to stdout.
 */
#ifndef ATRIUM_COMMON_SERVICE_CONFIG_LINE_H
#define ATRIUM_COMMON_SERVICE_CONFIG_LINE_H

struct config_line {
    const char *name;  /* "" for a blank or comment line */
    const char *value; /* unquoted, or "" */
};

/* Parses and overwrites a trimmed line: *ret points into it. Returns NULL or the fault. */
const char *config_line_split(char *line, struct config_line *ret);

#endif
