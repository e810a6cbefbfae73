/* typed_line.h - a line that an operator types, or a script has on stdin. */
#ifndef ATRIUM_CTL_TYPED_LINE_H
#define ATRIUM_CTL_TYPED_LINE_H

#include "ctl/ctl.h"

/* Reads the first line of stdin without its end, "" when there is none; what does not fit is left.
 * A terminal is waited for beside the loop, so that Ctrl-C ends the command, and shows nothing with
 * `secret`; it is left as it was. ERR_UNAVAILABLE: interrupted. Parks. */
int typed_line_read(struct ctl *ctl, bool secret, char *ret, size_t size,
                    struct error *err) MUST_USE;

#endif
