/* SPDX-License-Identifier: MIT */
/* RTP packets around payloads. Each is in an allocation of exactly its size, so that a sanitizer
 * reports a read past the end. */
#ifndef LT_TESTS_UNIT_CORE_IMPORTANCE_PACKETS_H
#define LT_TESTS_UNIT_CORE_IMPORTANCE_PACKETS_H

#include <memory>
#include <ostream>
#include <string>
#include <vector>

extern "C" {
#include "rtp/importance/importance.h"
}

namespace importance
{

using Bytes = std::vector<uint8_t>;

inline Bytes from_hex(const std::string &hex)
{
    Bytes bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        if (hex[i] == ' ') {
            i--;
            continue;
        }
        bytes.push_back((uint8_t)std::stoul(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

inline Bytes packet(const Bytes &payload, uint32_t timestamp = 0, uint32_t ssrc = 1)
{
    Bytes bytes = {0x80, 96, 0, 0};
    for (uint32_t word : {timestamp, ssrc}) {
        for (int shift = 24; shift >= 0; shift -= 8)
            bytes.push_back((uint8_t)(word >> shift));
    }
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
}

inline livetcp_importance of(livetcp_codec codec, const Bytes &bytes)
{
    std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    return livetcp_importance_of(codec, exact.get(), bytes.size());
}

inline livetcp_importance next(lt_importance_state &state, const livetcp_packet_info *info,
                               const uint8_t *bytes, size_t size)
{
    lt_rtp_header header;
    bool is_rtp = lt_rtp_parse(bytes, size, &header);
    return lt_importance_next(&state, info, is_rtp ? &header : nullptr, bytes, size);
}

inline livetcp_importance next(lt_importance_state &state, livetcp_codec codec, const Bytes &bytes)
{
    livetcp_packet_info info = {
        sizeof(livetcp_packet_info), LIVETCP_IMPORTANCE_UNKNOWN, codec, 0, 0, false};
    std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    return next(state, &info, exact.get(), bytes.size());
}

/* The importance as one letter: U, D, d, A or K. */
inline std::string letter(livetcp_importance importance)
{
    return std::string(1, "UDdAK"[importance]);
}

} // namespace importance

#endif
