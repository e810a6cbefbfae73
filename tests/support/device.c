/*
 * device.c - see device.h.
 */
#include "tests/support/device.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

void device_wipe(struct device *self)
{
    free(self->code);
    free(self->shown);
}

struct http_answer *device_ask(struct suite *suite, const char *client, const char *more)
{
    char form[1024];

    snprintf(form, sizeof(form), "client_id=%s%s", client, more);
    return oauth_post(suite, "device_authorization", form);
}

struct device device_begin(struct suite *suite, const char *client, const char *more)
{
    HTTP_ANSWER answer = device_ask(suite, client, more);

    CHECK_STATUS(answer, 200);
    return (struct device){strdup(http_text(answer, "device_code")),
                           strdup(http_text(answer, "user_code"))};
}

struct http_answer *device_poll(struct suite *suite, const char *client, const char *code)
{
    char form[1024];

    snprintf(form, sizeof(form), "grant_type=" DEVICE_GRANT "&client_id=%s&device_code=%s", client,
             code);
    return oauth_post(suite, "token", form);
}

int device_send(struct browser *browser, const char *fields)
{
    char *next = browser_value(browser, "next"), *form;
    int status;

    if (asprintf(&form, "%s&next=%s", fields, next) < 0)
        abort();
    status = browser_post(browser, "device", form);
    free(form);
    free(next);
    return status;
}

int device_arrive(struct browser *browser, const struct person *person)
{
    browser_get(browser, "device");
    oauth_follow(browser);
    return oauth_sign_in(browser, person->email, FORM_PASSWORD);
}

int device_enter(struct browser *browser, const char *code)
{
    char fields[128];

    snprintf(fields, sizeof(fields), "do=find&code=%s", code);
    return device_send(browser, fields);
}

int device_press(struct browser *browser, const char *button)
{
    char *step = browser_value(browser, "step"), *fields;
    int status;

    if (asprintf(&fields, "do=%s&step=%s", button, step) < 0)
        abort();
    status = device_send(browser, fields);
    free(fields);
    free(step);
    return status;
}

void device_approve(struct suite *suite, const struct person *person, const char *code)
{
    BROWSER browser = browser_open(suite);

    CU_ASSERT_EQUAL(device_arrive(browser, person), 200);
    CU_ASSERT_EQUAL(device_enter(browser, code), 200);
    CU_ASSERT_EQUAL(device_press(browser, "approve"), 200);
    CU_ASSERT_TRUE(browser_sees(browser, "Device connected"));
}
