/* brand_api.h - how a project's pages and mails look. */
#ifndef ATRIUM_SETTINGSD_BRAND_API_H
#define ATRIUM_SETTINGSD_BRAND_API_H

#include "common/wire/fields.h"

enum { BRAND_UPLOAD_MAX = 512 * 1024 }; /* bytes of a picture that a logo is made of */

struct branding_text {
    const char *language, *intro, *help;
};
FIELD_DECLARE(branding_text);

/* How the hosted pages of a project look. Absent members are as the installation's. */
struct branding {
    const char *name;                   /* in the place of the project's */
    const char *colorLight, *colorDark; /* "#rrggbb", read on the pages' grounds: color.h */
    const char *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *logo;        /* its hash in hexadecimal digits; NULL: none */
    const char *style;       /* the hash of brand.css; NULL: there are no colours */
    const char *etag;
};
FIELD_DECLARE(branding);

struct branding_in {
    const char *name, *colorLight, *colorDark, *imprintUrl, *privacyUrl;
    struct field_list texts; /* struct branding_text */
    const char *ifMatch;
};
FIELD_DECLARE(branding_in);

struct brand_logo_in {
    const char *image; /* a picture, base64 (RFC 4648, section 4) */
    const char *ifMatch;
};
FIELD_DECLARE(brand_logo_in);

struct brand_logo_delete_in {
    const char *ifMatch;
};
FIELD_DECLARE(brand_logo_delete_in);

struct endpoint_visit; /* common/domain/endpoint.h */

/* `v`: the hash in the page's link, so that caches are never stale. */
struct brand_in {
    const char *tenantCode; /* path */
    const struct endpoint_visit *visit;
    const char *v;
};
FIELD_DECLARE(brand_in);

#endif
