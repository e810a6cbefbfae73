/*
 * visit_brand.h - what a tenant's branding puts on its pages, in the language of the visit. Pure.
 */
#ifndef ATRIUM_AUTHD_PAGE_VISIT_BRAND_H
#define ATRIUM_AUTHD_PAGE_VISIT_BRAND_H

#include "authd/page/page.h"

struct tenant; /* settingsd/tenant_api.h */

/* Absent members are NULL. */
struct visit_brand {
    const char *name;  /* of the tenant, as its pages say it; never NULL where it has one */
    const char *style; /* version of brand.css */
    const char *logo;  /* path of brand.png on this host */
    const char *intro, *help, *imprint, *privacy;
};

/* Texts are those of the page's language, else of the tenant's default, else the first that
 * there are. */
struct visit_brand visit_brand_of(struct arena *arena, const struct tenant *tenant,
                                  enum page_language language);

/* What a content security policy has to know of it: the addresses of style and logo below
 * `url`/t/CODE, and of nothing else there: a source behind a blank, a directive behind "; ". "":
 * nothing. */
const char *visit_brand_style_source(struct arena *arena, const struct visit_brand *self,
                                     const char *url, const char *code);
const char *visit_brand_image_directive(struct arena *arena, const struct visit_brand *self,
                                        const char *url, const char *code);

#endif
