/* SPDX-License-Identifier: MIT */
/* Attributes of messages, the broken ones included; questions are asked by doctor and emulate. */
#include "catch.h"

extern "C" {
#include "lab/netlink.h"
}

#include <string>

namespace
{

struct Message {
    lt_netlink_request request = {};
    struct nlmsghdr *header = lt_netlink_begin(&request, RTM_NEWROUTE, NLM_F_ACK);
    const struct nlattr *found[RTA_MAX + 1];

    Message()
    {
        mnl_nlmsg_put_extra_header(header, sizeof(struct rtmsg));
    }
    void read()
    {
        lt_netlink_attributes(header, sizeof(struct rtmsg), found, RTA_MAX + 1);
    }
};

} // namespace

TEST_CASE("netlink: attributes are found by type, others are not there")
{
    Message m;
    char text[8];
    mnl_attr_put_u32(m.header, RTA_OIF, 7);
    mnl_attr_put_strz(m.header, RTA_FLOW, "name");
    mnl_attr_put_u32(m.header, RTA_MAX + 5, 9); /* of a newer kernel */
    m.read();
    CHECK(m.header->nlmsg_flags == (NLM_F_REQUEST | NLM_F_ACK));
    CHECK(lt_netlink_number(m.found[RTA_OIF]) == 7);
    CHECK(lt_netlink_number(m.found[RTA_PRIORITY]) == 0);
    lt_netlink_text(m.found[RTA_FLOW], text, sizeof text);
    CHECK(std::string(text) == "name");
    lt_netlink_text(m.found[RTA_GATEWAY], text, sizeof text);
    CHECK(std::string(text).empty());
}

TEST_CASE("netlink: what is too short is no number, what is too long is cut")
{
    Message m;
    char text[4];
    mnl_attr_put_u16(m.header, RTA_OIF, 7);
    mnl_attr_put_strz(m.header, RTA_FLOW, "a long name");
    m.read();
    CHECK(lt_netlink_number(m.found[RTA_OIF]) == 0);
    lt_netlink_text(m.found[RTA_FLOW], text, sizeof text);
    CHECK(std::string(text) == "a l");
}

TEST_CASE("netlink: nested attributes, and an attribute that claims more than there is")
{
    Message m;
    const struct nlattr *inner[RTAX_MAX + 1];
    struct nlattr *nest = mnl_attr_nest_start(m.header, RTA_METRICS);
    mnl_attr_put_u32(m.header, RTAX_INITCWND, 10);
    mnl_attr_nest_end(m.header, nest);
    m.read();
    REQUIRE(m.found[RTA_METRICS]);
    lt_netlink_nested(m.found[RTA_METRICS], inner, RTAX_MAX + 1);
    CHECK(lt_netlink_number(inner[RTAX_INITCWND]) == 10);
    auto first = static_cast<struct nlattr *>(mnl_attr_get_payload(nest));
    first->nla_len = 200;
    lt_netlink_nested(m.found[RTA_METRICS], inner, RTAX_MAX + 1);
    CHECK(inner[RTAX_INITCWND] == nullptr);
    lt_netlink_attributes_at(first, 3, inner, RTAX_MAX + 1);
    CHECK(inner[RTAX_INITCWND] == nullptr);
}

TEST_CASE("netlink: changes to what does not exist are refused by errno")
{
    CHECK(lt_netlink_bring_up("lt-nothing", 0, 0) != 0);
    CHECK(lt_netlink_add_address("lt-nothing", AF_INET, "no address", 24) != 0);
}
