/* SPDX-License-Identifier: MIT */
/* A programme of pictures and sound over a simulated call, and what comes of it. */
#ifndef LT_SCENARIO_PROGRAMME_H
#define LT_SCENARIO_PROGRAMME_H

#include "sim_session.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace scenario
{

constexpr livetcp_usec MS = LIVETCP_USEC_MSEC;
constexpr livetcp_usec SEC = LIVETCP_USEC_SEC;
constexpr uint32_t VIDEO = 1, SOUND = 2;

struct Tally {
    size_t sent = 0, received = 0;
    livetcp_usec longest = 0;
    std::vector<livetcp_usec> delays;

    livetcp_usec p95()
    {
        std::sort(delays.begin(), delays.end());
        return delays.empty() ? 0 : delays[delays.size() * 95 / 100];
    }

    double share() const
    {
        return sent ? static_cast<double>(received) / static_cast<double>(sent) : 1;
    }
};

/* A programme: 25 pictures a second, every other one referred to by none, a key frame each second
 * or when one is wanted; and sound every 20 ms. About 1 Mbit/s. */
class Programme
{
  public:
    explicit Programme(SimCall &call) : call_(call)
    {
    }

    void play(livetcp_usec duration)
    {
        for (livetcp_usec end = call_.world.now() + duration; call_.world.now() < end;) {
            if (tick_ % 2 == 0)
                picture();
            send(SOUND, sound_sequence_++, static_cast<uint32_t>(tick_), 172,
                 LIVETCP_IMPORTANCE_AUDIO);
            tick_++;
            call_.world.run_for(20 * MS);
        }
    }

    void answer_requests()
    {
        for (; seen_ < call_.caller.events.size(); seen_++)
            key_due_ |= call_.caller.events[seen_].type == LIVETCP_ENGINE_KEYFRAME_WANTED;
    }

    /* What has come of what, by importance. */
    std::map<livetcp_importance, Tally> tally() const
    {
        std::map<livetcp_importance, Tally> tallies;
        for (const auto &packet : sent_)
            tallies[packet.second].sent++;
        for (const Received &packet : call_.remote()->received) {
            Tally &of = tallies[sent_.at({packet.ssrc, packet.sequence})];
            of.received++;
            of.longest = std::max(of.longest, packet.delay);
            of.delays.push_back(packet.delay);
        }
        return tallies;
    }

    /* Pictures of which something, but not everything, has come. */
    size_t torn() const
    {
        std::map<uint32_t, std::pair<size_t, size_t>> pictures;
        for (const auto &packet : picture_of_)
            pictures[packet.second].first++;
        for (const Received &packet : call_.remote()->received)
            if (packet.ssrc == VIDEO)
                pictures[picture_of_.at(packet.sequence)].second++;
        size_t count = 0;
        for (const auto &picture : pictures)
            count += picture.second.second > 0 && picture.second.second < picture.second.first;
        return count;
    }

    /* Pictures that a viewer sees who plays so long after they were sent: whole, in time, and so is
     * what they refer to. */
    size_t shown(livetcp_usec playout) const
    {
        std::map<uint32_t, size_t> missing;
        for (const auto &packet : picture_of_)
            missing[packet.second]++;
        for (const Received &packet : call_.remote()->received)
            if (packet.ssrc == VIDEO && packet.delay <= playout)
                missing[picture_of_.at(packet.sequence)]--;
        size_t count = 0;
        bool reference = false;
        for (const auto &picture : missing) {
            livetcp_importance importance = importance_of_.at(picture.first);
            bool good = picture.second == 0 && (reference || importance == LIVETCP_IMPORTANCE_KEY);
            if (importance != LIVETCP_IMPORTANCE_DROPPABLE)
                reference = good;
            count += good;
        }
        return count;
    }

    size_t pictures() const
    {
        return importance_of_.size();
    }

  private:
    void picture()
    {
        uint64_t number = tick_ / 2;
        answer_requests();
        livetcp_importance importance =
            number % 2 ? LIVETCP_IMPORTANCE_DROPPABLE : LIVETCP_IMPORTANCE_DELTA;
        if (number % 25 == 0 || key_due_)
            importance = LIVETCP_IMPORTANCE_KEY;
        key_due_ = false;
        importance_of_[static_cast<uint32_t>(number)] = importance;
        for (int i = 0; i < (importance == LIVETCP_IMPORTANCE_KEY ? 12 : 4); i++) {
            picture_of_[video_sequence_] = static_cast<uint32_t>(number);
            send(VIDEO, video_sequence_++, static_cast<uint32_t>(number) * 3600, 1100, importance);
        }
    }

    void send(uint32_t ssrc, uint16_t sequence, uint32_t timestamp, size_t size,
              livetcp_importance importance)
    {
        sent_[{ssrc, sequence}] = importance;
        require(call_.caller.send_as(ssrc, sequence, timestamp, size, importance) == LIVETCP_OK,
                "a packet of the programme is taken");
    }

    SimCall &call_;
    uint64_t tick_ = 0;
    uint16_t video_sequence_ = 0, sound_sequence_ = 0;
    size_t seen_ = 0;
    bool key_due_ = false;
    std::map<std::pair<uint32_t, uint16_t>, livetcp_importance> sent_;
    std::map<uint16_t, uint32_t> picture_of_;
    std::map<uint32_t, livetcp_importance> importance_of_;
};

} // namespace scenario

#endif
