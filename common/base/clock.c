/* clock.c - see clock.h. */
#include "common/base/clock.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/base/memory.h"

enum { REREAD_MS = 50 };
static const int64_t OFFSET_MAX_S =
    INT64_C(100) * 366 * 86400; /* a longer jump is a typing error */

struct clock {
    char *offset_file;
    int64_t offset_ms, read_at_mono_ms;
};

/* Returns 0 unless the file is one plausible integer. */
static int64_t read_offset_ms(const char *path)
{
    char text[32], *end;
    ssize_t length;
    long long seconds;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    seconds = strtoll(text, &end, 10);
    end += strspn(end, " \r\n");
    if (end == text || *end != '\0' || seconds < -OFFSET_MAX_S || seconds > OFFSET_MAX_S)
        return 0;
    return seconds * 1000;
}

struct clock *clock_new(const char *offset_file)
{
    struct clock *self = memory_new(sizeof(*self));

    if (offset_file) {
        self->offset_file = memory_text(offset_file);
        self->read_at_mono_ms = INT64_MIN / 2;
    }
    return self;
}

void clock_destroy(struct clock **self_p)
{
    if (!*self_p)
        return;
    free((*self_p)->offset_file);
    free(*self_p);
    *self_p = NULL;
}

int64_t clock_now_ms(struct clock *self)
{
    if (self->offset_file && clock_mono_ms() - self->read_at_mono_ms >= REREAD_MS) {
        self->offset_ms = read_offset_ms(self->offset_file);
        self->read_at_mono_ms = clock_mono_ms();
    }
    return clock_real_ms() + self->offset_ms;
}

bool clock_is_test(const struct clock *self)
{
    return self->offset_file != NULL;
}
