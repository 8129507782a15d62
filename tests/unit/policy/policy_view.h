/* SPDX-License-Identifier: MIT */
/* The view of a policy: paths that can take packets, and a packet. */
#ifndef LT_UNIT_POLICY_VIEW_H
#define LT_UNIT_POLICY_VIEW_H

#include <livetcp/policy.h>

#include <vector>

struct PolicyView {
    /* A further path, with these values known, for a test to fill in. */
    livetcp_path &add_path(uint32_t known)
    {
        livetcp_path path = {};
        path.known = known;
        path.connection = static_cast<unsigned>(paths.size());
        path.usable = path.ready = path.link_room = true;
        paths.push_back(path);
        view.paths = paths.data();
        view.path_size = sizeof(livetcp_path);
        view.path_count = static_cast<unsigned>(paths.size());
        return paths.back();
    }

    std::vector<livetcp_path> paths;
    livetcp_policy_view view = {};
    livetcp_packet_view packet = {};
};

/* Three connections with a round trip of 60 ms. The first carries a packet that left at `sent`, and
 * others have delivered what left after it. */
struct OvertakenView : PolicyView {
    OvertakenView(livetcp_usec sent, livetcp_usec now)
    {
        for (unsigned i = 0; i < 3; i++) {
            livetcp_path &path =
                add_path(LIVETCP_PATH_RTT | LIVETCP_PATH_GROUP | LIVETCP_PATH_LINK_FREE);
            path.rtt_us = 60000;
            path.oldest_unacked_us = LIVETCP_NEVER;
            path.last_write_us = sent;
            path.link_free_us = now - 1000;
        }
        view.now_us = now;
        packet.size = 1448;
        packet.copies = 1;
        packet.overtaken = true;
        packet.carried_by = 1;
        packet.first_sent_us = packet.last_sent_us = sent;
    }
};

#endif
