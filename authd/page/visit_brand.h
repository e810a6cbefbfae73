/*
 * visit_brand.h - a tenant's branding in the visit's language.
 */
#ifndef ATRIUM_AUTHD_PAGE_VISIT_BRAND_H
#define ATRIUM_AUTHD_PAGE_VISIT_BRAND_H

#include "authd/page/page.h"

struct tenant; /* settingsd/tenant_api.h */

/* Missing members are NULL. */
struct visit_brand {
    const char *name;  /* the tenant's display name; NULL without a tenant */
    const char *style; /* version of brand.css */
    const char *logo;  /* path of brand.png on this host */
    const char *intro, *help, *imprint, *privacy;
};

/* Uses texts in the page's language, otherwise the tenant's default, otherwise the first. */
struct visit_brand visit_brand_of(struct arena *arena, const struct tenant *tenant,
                                  enum page_language language);

/* Returns CSP sources for style and logo, only these two files below `url`/t/CODE: " SOURCE" and ";
 * DIRECTIVE". "": none. */
const char *visit_brand_style_source(struct arena *arena, const struct visit_brand *self,
                                     const char *url, const char *code);
const char *visit_brand_image_directive(struct arena *arena, const struct visit_brand *self,
                                        const char *url, const char *code);

#endif
