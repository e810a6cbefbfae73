/* typed_line.h - reads a line from a terminal or stdin. */
#ifndef ATRIUM_CTL_TYPED_LINE_H
#define ATRIUM_CTL_TYPED_LINE_H

#include "ctl/ctl.h"

/* Reads one line, cut to `size`, or "" if there is none. `secret` hides the input. ERR_UNAVAILABLE:
 * Ctrl-C. Parks. */
int typed_line_read(struct ctl *ctl, bool secret, char *ret, size_t size,
                    struct error *err) MUST_USE;

#endif
