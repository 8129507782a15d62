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

#endif
