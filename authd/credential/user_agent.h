/*
 * user_agent.h - guesses browser and system from a User-Agent, for lists of sessions. Never trust
 * it.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_USER_AGENT_H
#define ATRIUM_AUTHD_CREDENTIAL_USER_AGENT_H

/* Returns a name like "Firefox" or "Windows", or NULL if unknown. */
const char *user_agent_browser(const char *text);
const char *user_agent_os(const char *text);

#endif
