/* brand_api.h - branding of a project's pages and emails. */
#ifndef ATRIUM_SETTINGSD_BRAND_API_H
#define ATRIUM_SETTINGSD_BRAND_API_H

#include "common/wire/fields.h"

enum { BRAND_UPLOAD_MAX = 512 * 1024 /* bytes of an uploaded image */, BRAND_NAME_MAX = 80 };

struct branding_text {
    const char *language, *intro, *help;
};
FIELD_DECLARE(branding_text);

/* The look of a project's hosted pages. For absent members, the pages use the installation's. */
struct branding {
    const char *name;                   /* shown instead of the project's name */
    const char *colorLight, *colorDark; /* "#rrggbb", readable on the pages' backgrounds: color.h */
    const char *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *logo;        /* hash in hexadecimal, or NULL */
    const char *style;       /* hash of brand.css; NULL without colours */
    const char *etag;
};
FIELD_DECLARE(branding);

struct branding_in {
    const char *name, *colorLight, *colorDark, *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *ifMatch;
};
FIELD_DECLARE(branding_in);

/* Branding that is not saved, for a preview in a language of the pages. */
struct branding_preview_in {
    const char *name, *colorLight, *colorDark, *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *language;    /* BCP 47 */
};
FIELD_DECLARE(branding_preview_in);

struct brand_logo_in {
    const char *image; /* base64 (RFC 4648, section 4) */
    const char *ifMatch;
};
FIELD_DECLARE(brand_logo_in);

struct brand_logo_delete_in {
    const char *ifMatch;
};
FIELD_DECLARE(brand_logo_delete_in);

struct endpoint_visit;

/* `v` is the hash in the page's link, so that caches are never stale. */
struct brand_in {
    const char *tenantCode;
    const struct endpoint_visit *visit;
    const char *v;
};
FIELD_DECLARE(brand_in);

#endif
