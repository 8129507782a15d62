/* SPDX-License-Identifier: MIT */
/* Virtual time: things happen at points in time, in order, and an hour takes milliseconds. */
#ifndef LT_SCENARIO_WORLD_H
#define LT_SCENARIO_WORLD_H

#include <livetcp/base.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace scenario
{

/* What the simulation itself relies on: a failed test, and an error elsewhere. */
inline void require(bool holds, const std::string &what)
{
    if (!holds)
        throw std::logic_error(what);
}

class World
{
  public:
    using Task = std::function<void()>;
    /* Names a task until it has run; 0 names none. */
    using Ticket = uint64_t;

    livetcp_usec now() const
    {
        return now_;
    }

    /* Things due at the same time happen in the order they were asked for. */
    Ticket at(livetcp_usec when, Task task)
    {
        Ticket ticket = ++last_ticket_;
        tasks_.emplace(std::make_pair(when < now_ ? now_ : when, ticket), std::move(task));
        due_[ticket] = when < now_ ? now_ : when;
        return ticket;
    }

    void cancel(Ticket ticket)
    {
        auto found = due_.find(ticket);
        if (found == due_.end())
            return;
        tasks_.erase({found->second, ticket});
        due_.erase(found);
    }

    void run_until(livetcp_usec end)
    {
        while (!tasks_.empty() && tasks_.begin()->first.first <= end) {
            auto next = tasks_.begin();
            Task task = std::move(next->second);
            now_ = next->first.first;
            due_.erase(next->first.second);
            tasks_.erase(next);
            task();
        }
        now_ = end;
    }

    /* Forgets all tasks. What they own may cancel others while it goes. */
    void clear()
    {
        auto tasks = std::move(tasks_);
        tasks_.clear();
        due_.clear();
    }

    void run_for(livetcp_usec duration)
    {
        run_until(now_ + duration);
    }

  private:
    livetcp_usec now_ = 1000000;
    Ticket last_ticket_ = 0;
    std::map<std::pair<livetcp_usec, Ticket>, Task> tasks_;
    std::map<Ticket, livetcp_usec> due_;
};

} // namespace scenario

#endif
