/* SPDX-License-Identifier: MIT */
/* Codecs by their RTP encoding names (IANA, "RTP Payload Format Media Types"). */
#include <livetcp/rtp.h>

#include <strings.h>

static const struct {
    const char *name;
    livetcp_codec codec;
} names[] = {
    {"H264", LIVETCP_CODEC_H264},       {"H265", LIVETCP_CODEC_H265},
    {"VP8", LIVETCP_CODEC_VP8},         {"VP9", LIVETCP_CODEC_VP9},
    {"AV1", LIVETCP_CODEC_AV1},         {"OPUS", LIVETCP_CODEC_AUDIO},
    {"multiopus", LIVETCP_CODEC_AUDIO}, {"PCMU", LIVETCP_CODEC_AUDIO},
    {"PCMA", LIVETCP_CODEC_AUDIO},      {"G722", LIVETCP_CODEC_AUDIO},
    {"G7221", LIVETCP_CODEC_AUDIO},     {"G723", LIVETCP_CODEC_AUDIO},
    {"G726-16", LIVETCP_CODEC_AUDIO},   {"G726-24", LIVETCP_CODEC_AUDIO},
    {"G726-32", LIVETCP_CODEC_AUDIO},   {"G726-40", LIVETCP_CODEC_AUDIO},
    {"G728", LIVETCP_CODEC_AUDIO},      {"G729", LIVETCP_CODEC_AUDIO},
    {"GSM", LIVETCP_CODEC_AUDIO},       {"GSM-EFR", LIVETCP_CODEC_AUDIO},
    {"iLBC", LIVETCP_CODEC_AUDIO},      {"SPEEX", LIVETCP_CODEC_AUDIO},
    {"AMR", LIVETCP_CODEC_AUDIO},       {"AMR-WB", LIVETCP_CODEC_AUDIO},
    {"EVS", LIVETCP_CODEC_AUDIO},       {"DVI4", LIVETCP_CODEC_AUDIO},
    {"L8", LIVETCP_CODEC_AUDIO},        {"L16", LIVETCP_CODEC_AUDIO},
    {"L20", LIVETCP_CODEC_AUDIO},       {"L24", LIVETCP_CODEC_AUDIO},
    {"MPA", LIVETCP_CODEC_AUDIO},       {"mpa-robust", LIVETCP_CODEC_AUDIO},
    {"MP4A-LATM", LIVETCP_CODEC_AUDIO}, {"AC3", LIVETCP_CODEC_AUDIO},
    {"EAC3", LIVETCP_CODEC_AUDIO},      {"VORBIS", LIVETCP_CODEC_AUDIO},
    {"CN", LIVETCP_CODEC_AUDIO},        {"telephone-event", LIVETCP_CODEC_AUDIO},
};

livetcp_codec livetcp_codec_from_name(const char *encoding_name)
{
    for (size_t i = 0; encoding_name && i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(encoding_name, names[i].name) == 0)
            return names[i].codec;
    }
    return LIVETCP_CODEC_UNKNOWN;
}
