/* SPDX-License-Identifier: MIT */
/*
 * All that the sessions of a call do, written down as text: the bytes of each write to a
 * connection, what the application is given and what it is told, in order. Two engines that make
 * the same transcript are the same to a peer and to an application.
 *
 * A line is a point in virtual time (us), who (caller, listener1, listener2...; listener for what
 * is written before a session has the connection), and what:
 *
 *     1040000 caller 0 write 0030811c...            slot, bytes
 *     1060000 listener reply 0014...
 *     1200000 listener1 0 packet 4660 65000 at 1199000 8060...   connection, SSRC, sequence number
 *     1200000 listener1 0 report at 1199000 81c9...              RTCP; rtcp: the application's
 *     1060000 caller event 1 0 2 0 ...              type, index, state, reason, and what it carries
 */
#ifndef LT_SCENARIO_TRANSCRIPT_H
#define LT_SCENARIO_TRANSCRIPT_H

#include "sim_session.h"

namespace scenario
{

class Transcript
{
  public:
    /* Writes down the call from here on; before it has run for any time that is everything. */
    void listen(SimCall &call);

    /* Writes, their bytes, packets delivered, events, and the SHA-256 of the text. */
    std::string summary() const;

    const std::string &text() const
    {
        return text_;
    }

  private:
    void listen(SimSession &session, const std::string &who);
    void line(const std::string &who, const std::string &what, const uint8_t *data = nullptr,
              size_t size = 0);
    void arrival(const std::string &who, const livetcp_packet &arrival);
    void event(const std::string &who, const livetcp_engine_event &event);

    const World *world_ = nullptr;
    std::string text_;
    unsigned sessions_ = 0;
    size_t writes_ = 0, bytes_ = 0, packets_ = 0, events_ = 0;
};

/* A few seconds of a call. `play` begins before anything has arrived anywhere. */
struct Scene {
    std::string name, path;
    livetcp_config config;
    std::function<void(SimCall &)> play;
    size_t send_buffer = 1 << 20;
};

/* How packets are spread: every built-in policy, and what a setting does to it. */
void add_policy_scenes(std::vector<Scene> &scenes);
/* What the two ends say beside media: reports, feedback, timestamps, small packets. */
void add_talk_scenes(std::vector<Scene> &scenes);
/* Paths that are too slow, or cut; connections, peers and sessions that end. */
void add_trouble_scenes(std::vector<Scene> &scenes);

/* Voice: 172 bytes every 20 ms. */
void play_voice(SimCall &call, livetcp_usec duration);

/* 25 pictures a second of four packets, twelve for a key frame each second or when the caller was
 * told that one is wanted, every other one referred to by none; and sound. About 1 Mbit/s. */
void play_programme(SimCall &call, livetcp_usec duration);

} // namespace scenario

#endif
