/*
 * launch.h - an application that is started from within a health record, for the patient who is
 * open there (SMART App Launch 2.2, "Launch App: EHR Launch"). The record asks for a launch in the
 * name of the practitioner and sends the browser to the application with it; the application sends
 * it on to /authorize.
 *
 * A launch is for one practitioner, application and server, once, for five minutes.
 */
#ifndef ATRIUM_AUTHD_OAUTH_LAUNCH_H
#define ATRIUM_AUTHD_OAUTH_LAUNCH_H

#include "authd/authd.h"

#define LAUNCH_LIFE MINUTES(5)

#endif
