/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "rtp/redundancy/red.h"
}

struct Placed {
    bool found;
    uint16_t sequence;
    bool seen;
};

struct History {
    lt_red_history history = {};

    lt_rtp_header add(unsigned sequence, uint32_t timestamp, uint32_t ssrc = 5)
    {
        lt_rtp_header header = {};
        header.ssrc = ssrc;
        header.sequence = (uint16_t)sequence;
        header.timestamp = timestamp;
        lt_red_history_add(&history, &header);
        return header;
    }
    /* Adds a primary, then places a frame that it repeats. */
    Placed place(unsigned sequence, uint32_t timestamp, uint32_t of, unsigned back = 1)
    {
        lt_rtp_header primary = add(sequence, timestamp);
        Placed p = {};
        p.found = lt_red_history_place(&history, &primary, of, back, &p.sequence, &p.seen);
        return p;
    }
};

TEST_CASE("a frame whose packet came has its number, however far away")
{
    History h;
    h.add(100, 16000);
    h.add(101, 16160);
    h.add(105, 16800);
    Placed p = h.place(107, 17120, 16160);
    CHECK(p.found);
    CHECK(p.sequence == 101);
    CHECK(p.seen);
}

TEST_CASE("one that did not come is between its neighbours, by the length of frames")
{
    History h;
    h.add(8, 1280);
    Placed p = h.place(11, 1760, 1440); /* 9 and 10 are missing: this is 9, two back */
    CHECK(p.found);
    CHECK(p.sequence == 9);
    CHECK_FALSE(p.seen);
    History wrap;
    wrap.add(65535, 0xffffff00);
    p = wrap.place(2, 0xffffff00u + 480, 0xffffff00u + 160);
    CHECK(p.found);
    CHECK(p.sequence == 0);
}

TEST_CASE("after a silence the place in the packet says it")
{
    History h;
    h.add(8, 1000);
    h.add(9, 1160);
    Placed p = h.place(11, 9260, 9100); /* 10, the first after the silence, is missing */
    CHECK(p.found);
    CHECK(p.sequence == 10);
    History none;
    p = none.place(50, 8000, 7840, 1);
    CHECK(p.found);
    CHECK(p.sequence == 49);
    p = none.place(60, 80000, 79000, 3);
    CHECK(p.found);
    CHECK(p.sequence == 57);
}

TEST_CASE("a frame that has no place between its neighbours gets none")
{
    History h;
    h.add(9, 1440);
    CHECK_FALSE(h.place(10, 1600, 1500).found);
    CHECK_FALSE(h.place(10, 1600, 1600).found);
    CHECK_FALSE(h.place(10, 1600, 1700).found);
    CHECK_FALSE(History().place(10, 1600, 0, 200).found); /* too old */
}

TEST_CASE("another source and a restart begin anew, reordering does not")
{
    History h;
    h.add(100, 16000);
    h.add(99, 15840);
    Placed p = h.place(101, 16160, 15840);
    CHECK(p.seen);
    CHECK(p.sequence == 99);
    h.add(30, 4800); /* 71 back: not recorded, and nothing is discarded */
    CHECK(h.place(102, 16320, 15840).seen);
    h.add(40000, 500000);
    p = h.place(40001, 500160, 499840);
    CHECK(p.found);
    CHECK(p.sequence == 39999);
    CHECK_FALSE(p.seen);
    h.add(7, 160, 6);
    CHECK(h.history.ssrc == 6);
    CHECK(h.history.newest == 7);
    h.add(40002, 320, 6); /* the sequence numbers restart elsewhere */
    CHECK(h.history.newest == 40002);
}
