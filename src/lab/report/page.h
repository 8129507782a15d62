/* SPDX-License-Identifier: MIT */
/* The page: page/ made into one file by CMake, and the data in it. */
#ifndef LT_LAB_REPORT_PAGE_H
#define LT_LAB_REPORT_PAGE_H

#include <livetcp/base.h>

#include <jansson.h>
#include <stdio.h>

/* The parts before and after the data. Generated: embed.cmake. */
extern const unsigned char lt_page_begin[], lt_page_end[];
extern const size_t lt_page_begin_size, lt_page_end_size;

/* Writes the page with `data` inside. */
livetcp_result lt_page_write(const json_t *data, FILE *out, livetcp_error *error);

#endif
