/* id_page.c - see id_page.h. */
#include "docd/store/id_page.h"

#include <string.h>

void id_page_add(struct id_page *self, struct uuid id)
{
    size_t at = self->count;

    if (strcmp(id.text, self->after) <= 0)
        return;
    while (at > 0 && strcmp(id.text, self->items[at - 1].text) < 0)
        at--;
    if (at > 0 && strcmp(id.text, self->items[at - 1].text) == 0)
        return;
    self->more |= self->count == self->room;
    if (at == self->room)
        return;
    self->count = MIN(self->count + 1, self->room);
    memmove(&self->items[at + 1], &self->items[at], (self->count - at - 1) * sizeof(*self->items));
    self->items[at] = id;
}
