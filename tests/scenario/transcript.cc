/* SPDX-License-Identifier: MIT */
#include "transcript.h"

extern "C" {
#include "base/bytes.h"
}

#include <openssl/evp.h>

namespace scenario
{

static void append_hex(std::string &text, const uint8_t *data, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        text += digits[data[i] >> 4];
        text += digits[data[i] & 15];
    }
}

void Transcript::line(const std::string &who, const std::string &what, const uint8_t *data,
                      size_t size)
{
    text_ += std::to_string(world_->now()) + ' ' + who + ' ' + what;
    if (size)
        text_ += ' ';
    append_hex(text_, data, size);
    text_ += '\n';
}

void Transcript::arrival(const std::string &who, const livetcp_packet &arrival)
{
    std::string what = std::to_string(arrival.connection);

    packets_++;
    if (arrival.rtcp)
        what += arrival.report ? " report" : " rtcp";
    else
        what += " packet " + std::to_string(lt_read_be32(arrival.data + 8)) + ' ' +
                std::to_string(lt_read_be16(arrival.data + 2));
    what += " at " + std::to_string(arrival.arrival_us);
    if (arrival.discontinuity)
        what += " after a gap";
    line(who, what, arrival.data, arrival.size);
}

void Transcript::event(const std::string &who, const livetcp_engine_event &event)
{
    int state = event.type == LIVETCP_ENGINE_SESSION_STATE ? static_cast<int>(event.state.session)
                : event.type == LIVETCP_ENGINE_CONNECTION_STATE
                    ? static_cast<int>(event.state.connection)
                    : 0;

    events_++;
    line(who, "event " + std::to_string(event.type) + ' ' + std::to_string(event.connection) + ' ' +
                  std::to_string(state) + ' ' + std::to_string(event.reason) + " ssrc " +
                  std::to_string(event.ssrc) + " bitrate " + std::to_string(event.bitrate) +
                  " asked " + std::to_string(event.asked_us) + " used " +
                  std::to_string(event.used_us));
}

void Transcript::listen(SimSession &session, const std::string &who)
{
    for (const livetcp_engine_event &early : session.events)
        event(who, early);
    session.on_written = [this, who](unsigned slot, const uint8_t *data, size_t size) {
        writes_++;
        bytes_ += size;
        line(who, std::to_string(slot) + " write", data, size);
    };
    session.on_arrival = [this, who](const livetcp_packet &arrived) { arrival(who, arrived); };
    session.on_event = [this, who](const livetcp_engine_event &happened) { event(who, happened); };
}

void Transcript::listen(SimCall &call)
{
    world_ = &call.world;
    listen(call.caller, "caller");
    call.listener.on_session = [this](SimSession &session) {
        listen(session, "listener" + std::to_string(++sessions_));
    };
    call.listener.on_reply = [this](const uint8_t *data, size_t size) {
        writes_++;
        bytes_ += size;
        line("listener", "reply", data, size);
    };
}

std::string Transcript::summary() const
{
    uint8_t hash[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    std::string text = std::to_string(writes_) + ' ' + std::to_string(bytes_) + ' ' +
                       std::to_string(packets_) + ' ' + std::to_string(events_) + ' ';

    require(EVP_Digest(text_.data(), text_.size(), hash, &size, EVP_sha256(), nullptr) == 1,
            "no SHA-256");
    append_hex(text, hash, size);
    return text;
}

void play_voice(SimCall &call, livetcp_usec duration)
{
    call.stream(172, 20000, duration);
}

void play_programme(SimCall &call, livetcp_usec duration)
{
    const uint32_t video = 1, sound = 2;
    uint16_t video_sequence = 0, sound_sequence = 0;
    size_t seen = call.caller.events.size();
    bool key_due = true;

    for (uint32_t tick = 0; tick < duration / 20000; tick++) {
        for (; seen < call.caller.events.size(); seen++)
            key_due |= call.caller.events[seen].type == LIVETCP_ENGINE_KEYFRAME_WANTED;
        if (tick % 2 == 0) {
            uint32_t number = tick / 2;
            bool key = key_due || number % 25 == 0;
            livetcp_importance importance = key          ? LIVETCP_IMPORTANCE_KEY
                                            : number % 2 ? LIVETCP_IMPORTANCE_DROPPABLE
                                                         : LIVETCP_IMPORTANCE_DELTA;
            for (int i = 0; i < (key ? 12 : 4); i++)
                call.caller.send_as(video, video_sequence++, number * 3600, 1100, importance);
            key_due = false;
        }
        call.caller.send_as(sound, sound_sequence++, tick * 160, 172, LIVETCP_IMPORTANCE_AUDIO);
        call.world.run_for(20000);
    }
}

} // namespace scenario
