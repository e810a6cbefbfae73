/* error_line.h - prints why a program failed. */
#ifndef ATRIUM_CTL_ERROR_LINE_H
#define ATRIUM_CTL_ERROR_LINE_H

#include "common/base/error.h"

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

void error_line_print(const char *program, const struct error *err);

#endif
