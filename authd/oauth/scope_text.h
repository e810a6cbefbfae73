/*
 * scope_text.h - what a scope lets a client do, in the words of the pages (SMART App Launch 2.2,
 * "Scopes for requesting FHIR resources", and OpenID Connect Core 1.0, section 5.4).
 */
#ifndef ATRIUM_AUTHD_OAUTH_SCOPE_TEXT_H
#define ATRIUM_AUTHD_OAUTH_SCOPE_TEXT_H

#include "authd/page/template/pages.h"
#include "common/domain/role.h"

/* The row of a scope. Fixed scopes have one text; those for the data of a FHIR server are a
 * sentence made of level, type and what they allow, with their query. Any other has neither, so
 * that the page shows the word itself. `is_patient`: the person who is asked is a patient, so the
 * level "patient" is the person's own record. `word` must outlive the row; the rest is in the
 * arena. */
struct page_scopes_scope scope_text(struct arena *arena, enum page_language language,
                                    bool is_patient, const char *word);

/* The rows of the scopes between blanks, for a person of that role; from the arena. */
struct page_scopes_scope *scope_texts(struct arena *arena, enum page_language language,
                                      enum role role, const char *scopes, size_t *ret_count);

#endif
