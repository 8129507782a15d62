/* SPDX-License-Identifier: MIT */
/* Doubly-linked lists through a member of their elements. A list is a ring that includes its head,
 * so that insertion and removal have no special cases. */
#ifndef LT_BASE_LIST_H
#define LT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* The head of a list, or an element's link. */
typedef struct lt_list {
    struct lt_list *next, *previous;
} lt_list;

/* The element of type `type` whose member `member` is this link. */
#define LT_LIST_ELEMENT(link, type, member)                                                        \
    ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* Makes a list empty, or a link unlinked, so that it may be removed. */
static inline void lt_list_init(lt_list *list)
{
    list->next = list->previous = list;
}

static inline bool lt_list_is_empty(const lt_list *list)
{
    return list->next == list;
}

/* NULL if the list is empty. */
static inline lt_list *lt_list_first(const lt_list *list)
{
    return lt_list_is_empty(list) ? NULL : list->next;
}

/* The link after this one; NULL at the end of the list. */
static inline lt_list *lt_list_next(const lt_list *list, const lt_list *link)
{
    return link->next == list ? NULL : link->next;
}

static inline void lt_list_insert_after(lt_list *where, lt_list *link)
{
    link->previous = where;
    link->next = where->next;
    where->next->previous = link;
    where->next = link;
}

static inline void lt_list_insert_first(lt_list *list, lt_list *link)
{
    lt_list_insert_after(list, link);
}

static inline void lt_list_insert_last(lt_list *list, lt_list *link)
{
    lt_list_insert_after(list->previous, link);
}

/* Unlinks; the link may be removed again. */
static inline void lt_list_remove(lt_list *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    lt_list_init(link);
}

/* Moves all elements of `from` to the end of `list`. */
static inline void lt_list_append(lt_list *list, lt_list *from)
{
    lt_list *link;

    while ((link = lt_list_first(from))) {
        lt_list_remove(link);
        lt_list_insert_last(list, link);
    }
}

#endif
