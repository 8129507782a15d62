/* SPDX-License-Identifier: MIT */
/* Ie and Bpl of codecs on the narrowband scale; quality.h names the sources. */
#include <livetcp/quality.h>

#include <string.h>

static const livetcp_speech_codec codecs[] = {
    {"g711", 0, 4.3},
    {"g711-plc", 0, 25.1},
    {"g729a", 11, 19.0},
    {"opus", 2.03, 15.95},
};

const livetcp_speech_codec *livetcp_speech_codec_at(size_t position)
{
    return position < sizeof codecs / sizeof *codecs ? &codecs[position] : NULL;
}

const livetcp_speech_codec *livetcp_speech_codec_find(const char *name)
{
    const livetcp_speech_codec *codec;

    for (size_t i = 0; name && (codec = livetcp_speech_codec_at(i)); i++)
        if (!strcmp(codec->name, name))
            return codec;
    return NULL;
}
