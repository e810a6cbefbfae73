/*
 * user_agent.h - the browser and the system that a User-Agent names, for people who look at their
 * sessions.
 *
 * A guess from a header that says what its sender likes: shown, never decided upon.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_USER_AGENT_H
#define ATRIUM_AUTHD_CREDENTIAL_USER_AGENT_H

/* Names from fixed lists ("Firefox", "Windows"), NULL when nothing known is in the text. */
const char *user_agent_browser(const char *text);
const char *user_agent_os(const char *text);

#endif
