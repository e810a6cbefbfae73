/*
 * launch.h - starts an application from a health record for the open patient (SMART App Launch 2.2,
 * "Launch App: EHR Launch"). The record creates a launch for the practitioner, and the application
 * passes it to /authorize. It is valid once, for five minutes.
 */
#ifndef ATRIUM_AUTHD_OAUTH_LAUNCH_H
#define ATRIUM_AUTHD_OAUTH_LAUNCH_H

#include "authd/authd.h"

#define LAUNCH_LIFE MINUTES(5)

#endif
