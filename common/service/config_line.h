/*
 * config_line.h - one line of a configuration file (ZPL, https://rfc.zeromq.org/spec/4/).
 *
 * Not czmq's zconfig, which writes complaints of its own to stdout.
 */
#ifndef ATRIUM_COMMON_SERVICE_CONFIG_LINE_H
#define ATRIUM_COMMON_SERVICE_CONFIG_LINE_H

struct config_line {
    const char *name;  /* "" in a line that is blank or a comment */
    const char *value; /* without its quotes; "" when there is none */
};

/* Parses and overwrites a line without indent and end: *ret points into it. NULL, or what the line
 * must be. */
const char *config_line_split(char *line, struct config_line *ret);

#endif
