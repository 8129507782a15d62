/* SPDX-License-Identifier: MIT */
#include "wire_tap.h"

extern "C" {
#include "base/bytes.h"
#include "wire/control.h"
}

namespace scenario
{

/* The APP packet at the end of our reports. */
const size_t mark = 12;

WireTap::WireTap(SimCall &call, std::set<uint32_t> ssrcs) : call_(call), ssrcs_(std::move(ssrcs))
{
    call.caller.on_written = [this](unsigned slot, const uint8_t *data, size_t size) {
        bytes(slot, data, size);
    };
}

void WireTap::bytes(unsigned slot, const uint8_t *data, size_t size)
{
    std::vector<uint8_t> &stream = streams_[slot];
    stream.insert(stream.end(), data, data + size);
    size_t done = 0;
    while (stream.size() - done >= 2) {
        size_t length = lt_read_be16(&stream[done]);
        if (stream.size() - done < 2 + length)
            break;
        packet(slot, stream.data() + done + 2, length);
        done += 2 + length;
    }
    stream.erase(stream.begin(), stream.begin() + static_cast<ptrdiff_t>(done));
}

void WireTap::packet(unsigned slot, const uint8_t *data, size_t size)
{
    if (size < 8 || lt_control_is(data, size))
        return;
    if (size > mark && data[1] >= 192 && lt_control_is(data + size - mark, mark))
        return; /* a report of LiveTCP's own */
    Written one = {};
    one.at = call_.world.now();
    one.slot = slot;
    one.size = size;
    one.rtcp = data[1] >= 192 && data[1] <= 223; /* RFC 5761 */
    one.ssrc = lt_read_be32(data + (one.rtcp ? 4 : 8));
    one.sequence = one.rtcp ? 0 : lt_read_be16(data + 2);
    one.own = ssrcs_.count(one.ssrc) > 0;
    one.first = one.rtcp || seen_.insert({one.ssrc, one.sequence}).second;
    written.push_back(one);
}

} // namespace scenario
