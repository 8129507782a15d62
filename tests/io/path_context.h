/* SPDX-License-Identifier: MIT */
/* Sessions at the ends of an emulated path. */
#ifndef LT_TESTS_IO_PATH_CONTEXT_H
#define LT_TESTS_IO_PATH_CONTEXT_H

#include "path.h"
#include "world.h"

namespace world
{

inline std::unique_ptr<Context> context_at(const Path &path, lt_end end)
{
    path.enter(end);
    return std::make_unique<Context>(true);
}

} // namespace world

#endif
