/*
 * config_line.h - one line of a configuration file (config.c): name = "value" # comment
 *
 * The notation is that of ZPL (https://rfc.zeromq.org/spec/4/), which czmq reads too, but its
 * zconfig writes complaints of its own to stdout.
 */
#ifndef ATRIUM_COMMON_SERVICE_CONFIG_LINE_H
#define ATRIUM_COMMON_SERVICE_CONFIG_LINE_H

struct config_line {
    const char *name;  /* "" in a line that is blank or a comment */
    const char *value; /* without its quotes; "" when there is none */
};

/* Takes the line apart, which has neither its indent nor its end and is written to: *ret points
 * into it. Returns NULL, or what the line must be, for a message. */
const char *config_line_split(char *line, struct config_line *ret);

#endif
