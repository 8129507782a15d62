/* SPDX-License-Identifier: MIT */
/* Every packet type of the payload formats, and malformed ones. */
#include "catch.h"
#include "packets.h"

using namespace importance;

namespace
{

struct Case {
    const char *expected;
    const char *payload;
    const char *what;
};

void check(livetcp_codec codec, const std::vector<Case> &cases)
{
    for (const Case &c : cases) {
        INFO(c.what << ": " << c.payload);
        CHECK(letter(of(codec, packet(from_hex(c.payload)))) == c.expected);
    }
}

} // namespace

TEST_CASE("H.264 payloads", "[importance]")
{
    check(LIVETCP_CODEC_H264,
          {
              {"K", "65", "IDR slice"},
              {"K", "25 88", "IDR slice of low nal_ref_idc"},
              {"U", "05 88", "IDR slice that would not be referred to"},
              {"K", "67 64", "SPS"},
              {"K", "68 eb", "PPS"},
              {"U", "07 64", "SPS with nal_ref_idc 0"},
              {"K", "6d 00", "SPS extension"},
              {"K", "6f 00", "subset SPS"},
              {"d", "61 9a", "reference slice"},
              {"D", "01 9e", "non-reference slice"},
              {"d", "42 9a", "data partition A"},
              {"D", "04 9a", "data partition C"},
              {"d", "74 9a", "slice extension"},
              {"D", "14 9a", "slice extension, not referred to"},
              {"U", "06 05", "SEI"},
              {"U", "09 f0", "delimiter"},
              {"U", "0c ff", "filler"},
              {"U", "e5 88", "forbidden_zero_bit"},
              {"U", "60", "type 0"},
              {"U", "7e", "type 30"},
              {"U", "7f", "type 31"},

              {"K", "78 0002 67aa 0002 68aa 0003 65aabb", "STAP-A of a key frame"},
              {"d", "78 0002 09f0 0003 61aabb", "STAP-A: delimiter and slice"},
              {"D", "18 0002 09f0 0003 01aabb", "STAP-A of a non-reference picture"},
              {"K", "78 0003 01aabb 0001 65", "STAP-A: the best unit counts"},
              {"U", "18 0002 09f0", "STAP-A: delimiter"},
              {"U", "78", "empty STAP-A"},
              {"U", "78 00", "STAP-A without a whole size"},
              {"U", "78 0000", "STAP-A with an empty unit"},
              {"U", "78 0003 6588", "STAP-A with a unit cut short"},
              {"U", "78 0001 65 00", "STAP-A with something left"},
              {"U", "78 0003 780001", "STAP-A in STAP-A"},
              {"K", "79 1234 0002 65aa", "STAP-B"},
              {"U", "79 1234", "empty STAP-B"},
              {"U", "79 12", "STAP-B cut short"},
              {"K", "7a 1234 0002 01 0203 65aa", "MTAP16"},
              {"D", "1a 1234 0002 01 0203 01aa 0001 02 0203 01", "MTAP16, two units"},
              {"U", "7a 1234 0002 01 0203 65", "MTAP16 cut short"},
              {"K", "7b 1234 0002 01 020304 65aa", "MTAP24"},
              {"U", "7b 1234 0002 01 0203", "MTAP24 cut short"},

              {"K", "7c 85 88", "FU-A, first of an IDR slice"},
              {"K", "7c 05 88", "FU-A, middle"},
              {"K", "7c 45 88", "FU-A, last"},
              {"d", "5c 01 88", "FU-A of a reference slice"},
              {"D", "1c 41 88", "FU-A of a non-reference slice"},
              {"U", "1c 06 88", "FU-A of an SEI"},
              {"U", "7c c5 88", "FU-A, first and last"},
              {"U", "7c 9c 88", "FU-A of an FU-A"},
              {"U", "7c 80 88", "FU-A of type 0"},
              {"U", "7c 85", "FU-A of nothing"},
              {"U", "7c", "FU-A cut short"},
              {"K", "7d 85 1234 88", "FU-B"},
              {"U", "7d 85 1234", "FU-B of nothing"},
          });
}

TEST_CASE("H.265 payloads", "[importance]")
{
    check(LIVETCP_CODEC_H265,
          {
              {"K", "2601 af", "IDR_W_RADL"},
              {"K", "2801 af", "IDR_N_LP"},
              {"K", "2a01 af", "CRA"},
              {"K", "2001 af", "BLA_W_LP"},
              {"U", "2602 af", "IDR above the lowest temporal layer"},
              {"K", "4001 0c", "VPS"},
              {"K", "4201 01", "SPS"},
              {"K", "4401 c1", "PPS"},
              {"K", "4402 c1", "PPS of a higher temporal layer"},
              {"U", "4202 01", "SPS above the lowest temporal layer"},
              {"D", "0001 e0", "TRAIL_N"},
              {"d", "0201 d0", "TRAIL_R"},
              {"D", "0402 e0", "TSA_N"},
              {"d", "0602 e0", "TSA_R"},
              {"D", "0c01 e0", "RADL_N"},
              {"d", "0e01 e0", "RADL_R"},
              {"D", "1001 e0", "RASL_N"},
              {"d", "1201 e0", "RASL_R"},
              {"U", "4601 10", "delimiter"},
              {"U", "4e01 05", "prefix SEI"},
              {"U", "5001 05", "suffix SEI"},
              {"U", "3001 05", "reserved type 24"},
              {"U", "5201 05", "reserved type 41"},
              {"U", "6601 05", "unspecified type 51"},
              {"U", "a601 af", "forbidden_zero_bit"},
              {"U", "2600 af", "temporal id -1"},
              {"U", "26", "half a header"},

              {"K", "6001 0003 40010c 0003 420101 0003 2601af", "aggregation of a key frame"},
              {"d", "6001 0003 460110 0003 0201d0", "aggregation: delimiter and slice"},
              {"D", "6001 0003 460110 0003 0001e0", "aggregation, non-reference"},
              {"K", "6001 1234 0003 40010c 00 0003 420101", "aggregation with DONL and DOND"},
              {"D", "6001 0000 0003 0001e0 00 0003 0001e0", "aggregation, DONL 0"},
              {"U", "6001", "empty aggregation"},
              {"U", "6001 0000", "aggregation of an empty unit"},
              {"U", "6001 0003 4001", "aggregation cut short"},
              {"U", "6001 0001 40", "aggregation of half a header"},
              {"U", "6001 0003 40010c ff", "aggregation with something left"},
              {"U", "6001 0003 600100", "aggregation in an aggregation"},

              {"K", "6201 93 af", "fragment, first of an IDR slice"},
              {"K", "6201 13 af", "fragment, middle"},
              {"K", "6201 53 af", "fragment, last"},
              {"D", "6201 80 e0", "fragment of TRAIL_N"},
              {"d", "6201 01 e0", "fragment of TRAIL_R"},
              {"U", "6201 a7 05", "fragment of an SEI"},
              {"U", "6201 d3 af", "fragment, first and last"},
              {"U", "6201 b1 af", "fragment of a fragment"},
              {"U", "6201 93", "fragment of nothing"},
              {"U", "6201", "fragment cut short"},

              {"K", "6401 2630 aabbcc af", "PACI, three bytes of extension"},
              {"D", "6401 0000 e0", "PACI of TRAIL_N"},
              {"K", "6401 6200 93 af", "PACI of a fragment"},
              {"U", "6401 6400 93", "PACI in PACI"},
              {"U", "6401 27f0 af", "PACI whose extension is missing"},
              {"U", "6401 26", "PACI cut short"},
          });
}

TEST_CASE("VP8 payloads", "[importance]")
{
    const char key[] = "10 101500 9d012a 40004000";
    check(LIVETCP_CODEC_VP8,
          {
              {"K", key, "first packet of a key frame"},
              {"K", "90 80 a31d 101500 9d012a 40004000", "with a long picture id"},
              {"K", "90 80 1d 101500 9d012a 40004000", "with a short picture id"},
              {"K", "90 e0 a31d 07 00 101500 9d012a 40004000", "with layers"},
              {"K", "90 10 00 101500 9d012a 40004000", "with a key index"},
              {"K", "30 101500 9d012a 40004000", "key frame with N"},
              {"d", "10 310900", "first packet of another frame"},
              {"D", "30 310900", "first packet of a frame nothing refers to"},
              {"D", "20 310900", "another packet of it"},
              {"D", "31 310900", "another partition of it"},
              {"D", "b0 e0 a31d 07 40 310900", "with layers"},
              {"U", "00 310900", "continued"},
              {"U", "11 310900", "another partition"},
              {"U", "10 101500 000000 40004000", "key frame without a start code"},
              {"U", "10 101500 9d012a", "key frame cut short"},
              {"U", "10 390900", "version 4"},
              {"U", "50 310900", "reserved bit"},
              {"U", "18 310900", "the other reserved bit"},
              {"U", "10", "nothing"},
              {"U", "90", "cut short"},
              {"U", "90 80", "cut short before the picture id"},
              {"U", "90 80 a3", "cut short in the picture id"},
              {"U", "90 80 a31d", "cut short after the picture id"},
              {"U", "90 e0 a31d 07 40", "cut short after the layers"},
          });
}

TEST_CASE("VP9 payloads", "[importance]")
{
    check(LIVETCP_CODEC_VP9,
          {
              {"K", "0c 82 498342 00", "key frame"},
              {"K", "8c bd53 82 498342 00", "with a long picture id"},
              {"K", "8c 3d 82 498342 00", "with a short picture id"},
              {"K", "0e 18 00400040 01 04 01 82 498342 00", "with a scalability structure"},
              {"K", "0e 30 00400040 00800080 82 498342 00", "with two resolutions"},
              {"K", "08 b1 24c1a1 00", "profile 3"},
              {"U", "0c 82 000000 00", "key frame without a sync code"},
              {"U", "0c 82 4983", "key frame cut short"},
              {"K", "04 aabb", "continued, not predicted"},
              {"K", "2c 02 07 86 004092", "upper spatial layer of a key picture"},
              {"U", "44 aabb", "continued, predicted"},
              {"d", "4c 86 004092", "refreshes a reference"},
              {"D", "4c 86 000092", "refreshes none"},
              {"D", "6c 42 07 86 000092", "with layer indices"},
              {"D", "fc 3d 42 04 86 000092", "flexible mode, one reference"},
              {"D", "dc 3d 03 05 08 86 000092", "flexible mode, three references"},
              {"U", "dc 3d 03 05 09 86 000092", "flexible mode, four references"},
              {"d", "4c 8a 00", "shows an existing frame"},
              {"U", "4c 46 004092", "frame marker 1"},
              {"U", "4c be 004092", "profile 4"},
              {"U", "4c 86", "frame cut short"},
              {"U", "4c", "no frame"},
              {"U", "8c bd", "cut short in the picture id"},
              {"U", "0e 18 0040", "cut short in the scalability structure"},
              {"U", "0e 08 ff 0c", "cut short in its pictures"},
              {"U", "0e f8", "cut short after its first byte"},
          });
}

TEST_CASE("AV1 payloads", "[importance]")
{
    check(LIVETCP_CODEC_AV1,
          {
              {"K", "18 08 00", "sequence header, new sequence"},
              {"K", "10 08 00", "sequence header"},
              {"K", "10 30 10", "key frame"},
              {"K", "10 18 10", "frame header of a key frame"},
              {"d", "10 30 30", "inter frame"},
              {"d", "10 30 50", "intra-only frame"},
              {"d", "10 30 80", "shows an existing frame"},
              {"d", "10 34 00 30", "inter frame with layer ids"},
              {"K", "10 36 00 02 1000", "key frame with layer ids and size"},
              {"d", "10 32 02 3000", "inter frame with a size"},
              {"d", "10 32 8001 30", "inter frame with a long size"},
              {"U", "10 20 00", "tiles"},
              {"U", "10 2a 01 00", "metadata"},
              {"K", "20 02 0800 3010", "two elements: sequence header and key frame"},
              {"d", "20 02 2a00 3030", "two elements: metadata and inter frame"},
              {"K", "00 02 0800 02 3010", "elements with lengths"},
              {"d", "00 8100 2a 02 3030", "a length in two bytes"},
              {"K", "28 02 2000 2000", "new sequence"},
              {"U", "90 30 10", "the rest of an element"},
              {"d", "a0 02 3010 3030", "the rest of an element, then a frame"},
              {"U", "d0 30 10", "the middle of an element"},
              {"d", "50 30 30", "the beginning of an element"},
              {"U", "50 30", "a beginning too short to tell"},
              {"U", "50 32 80", "a beginning that ends in its size"},
              {"U", "98 30 10", "new sequence in the middle of an element"},
              {"U", "11 30 10", "reserved bit"},
              {"U", "10 b0 10", "forbidden bit"},
              {"U", "10 40 10", "tile list"},
              {"U", "10", "no element"},
              {"U", "", "no aggregation header"},
              {"U", "20 03 0800", "element cut short"},
              {"U", "20 02 0800", "second element missing"},
              {"U", "00 02 0800 02 30", "element with length cut short"},
              {"U", "00 80", "length cut short"},
              {"U", "00 ffffffffffffffffff01", "length too long"},
          });
}
