/* SPDX-License-Identifier: MIT */
/* Comma-separated lists in one setting. */
#ifndef LT_BASE_TEXT_LIST_H
#define LT_BASE_TEXT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Number of items; an empty text has none. */
static inline unsigned lt_text_list_count(const char *list)
{
    unsigned count = list[0] ? 1 : 0;

    for (const char *comma = list; (comma = strchr(comma, ',')); comma++)
        count++;
    return count;
}

/* Copies item `position`, counted from 0. False, with *item empty, if there is none, it is empty,
 * or it does not fit. */
static inline bool lt_text_list_item(const char *list, unsigned position, char *item, size_t size)
{
    item[0] = '\0';
    while (position-- && list)
        list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
    if (!list)
        return false;
    size_t length = strcspn(list, ",");
    if (!length || length >= size)
        return false;
    memcpy(item, list, length);
    item[length] = '\0';
    return true;
}

#endif
