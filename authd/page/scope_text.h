/*
 * scope_text.h - explains scopes to people (SMART App Launch 2.2, "Scopes for requesting FHIR
 * resources"; OpenID Connect Core 1.0, section 5.4).
 */
#ifndef ATRIUM_AUTHD_PAGE_SCOPE_TEXT_H
#define ATRIUM_AUTHD_PAGE_SCOPE_TEXT_H

#include "authd/page/template/pages.h"
#include "common/domain/role.h"

/* Fixed scopes have a text; FHIR scopes a sentence made from level, type, permissions and query;
 * the page shows others unchanged. `is_patient`: the level "patient" is the person's own record.
 * Borrows `word`. */
struct page_scopes_scope scope_text(struct arena *arena, enum page_language language,
                                    bool is_patient, const char *word);

/* Explains scopes separated by blanks. Borrows them. */
struct page_scopes_scope *scope_texts(struct arena *arena, enum page_language language,
                                      enum role role, const char *scopes, size_t *ret_count);

#endif
