/* SPDX-License-Identifier: MIT */
/* Intrusive lists: links embedded in the elements. */
#include "catch.h"

extern "C" {
#include "base/list.h"
}

#include <vector>

namespace
{

struct Item {
    int value;
    lt_list link;
};

std::vector<int> values(const lt_list &list)
{
    std::vector<int> found;
    for (lt_list *link = lt_list_first(&list); link; link = lt_list_next(&list, link))
        found.push_back(LT_LIST_ELEMENT(link, Item, link)->value);
    return found;
}

} // namespace

TEST_CASE("elements come out of a list in the order they were put", "[list]")
{
    lt_list list;
    Item a = {1, {}}, b = {2, {}}, c = {3, {}};
    lt_list_init(&list);
    CHECK(lt_list_is_empty(&list));
    CHECK(lt_list_first(&list) == nullptr);
    lt_list_insert_last(&list, &b.link);
    lt_list_insert_last(&list, &c.link);
    lt_list_insert_first(&list, &a.link);
    CHECK(values(list) == std::vector<int>{1, 2, 3});
    CHECK_FALSE(lt_list_is_empty(&list));
}

TEST_CASE("an element leaves its list from anywhere, and may leave twice", "[list]")
{
    lt_list list;
    Item items[3] = {{1, {}}, {2, {}}, {3, {}}};
    int leaving = GENERATE(0, 1, 2);
    lt_list_init(&list);
    for (Item &item : items)
        lt_list_insert_last(&list, &item.link);
    lt_list_remove(&items[leaving].link);
    lt_list_remove(&items[leaving].link);
    std::vector<int> rest = {1, 2, 3};
    rest.erase(rest.begin() + leaving);
    CHECK(values(list) == rest);
    lt_list_insert_last(&list, &items[leaving].link);
    CHECK(values(list).back() == items[leaving].value);
}

TEST_CASE("a list that was emptied is empty", "[list]")
{
    lt_list list;
    Item a = {1, {}}, b = {2, {}};
    lt_list_init(&list);
    lt_list_insert_first(&list, &a.link);
    lt_list_insert_first(&list, &b.link);
    while (lt_list *first = lt_list_first(&list))
        lt_list_remove(first);
    CHECK(lt_list_is_empty(&list));
    CHECK(values(list).empty());
}
