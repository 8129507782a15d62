/* SPDX-License-Identifier: MIT */
#include "sim_path.h"

#include <algorithm>

namespace scenario
{

lt_link_params link_params(const char *spec)
{
    lt_link_params params;
    livetcp_error error;

    lt_link_params_init(&params);
    livetcp_result result = lt_link_params_parse(&params, spec, &error);
    require(result == LIVETCP_OK, result == LIVETCP_OK ? "" : error.message);
    return params;
}

SimLink::SimLink(World &world, const lt_link_params &params, uint64_t seed)
    : world_(world), link_(lt_link_create(&params, seed))
{
    require(link_ != nullptr, "no memory for a link");
}

SimLink::~SimLink()
{
    void *packet;
    while (lt_link_discard(link_, &packet))
        delete static_cast<Arrival *>(packet);
    lt_link_destroy(&link_);
    world_.cancel(timer_);
}

void SimLink::send(size_t bytes, World::Task arrive, uint32_t flow)
{
    offer(bytes, LT_ECN_NOT_ECT, flow, [arrive = std::move(arrive)](bool) { arrive(); });
}

void SimLink::send_markable(size_t bytes, Arrival arrive, uint32_t flow)
{
    offer(bytes, LT_ECN_ECT0, flow, std::move(arrive));
}

void SimLink::offer(size_t bytes, lt_ecn ecn, uint32_t flow, Arrival arrive)
{
    if (cut_ || !passes_policer(bytes))
        return;
    auto owned = std::make_unique<Arrival>(std::move(arrive));
    lt_link_packet packet = {owned.get(), bytes, ecn, flow};
    if (lt_link_offer(link_, world_.now(), &packet) == LT_LINK_TAKEN)
        owned.release();
    arm();
}

uint32_t SimLink::new_flow()
{
    return ++flows_ * 2654435761u; /* Knuth's multiplicative hash */
}

void SimLink::police(uint64_t rate, size_t burst)
{
    policer_.rate = static_cast<double>(rate) / 8;
    policer_.burst = policer_.tokens = static_cast<double>(burst);
    policer_.at = world_.now();
}

bool SimLink::passes_policer(size_t bytes)
{
    if (policer_.rate <= 0)
        return true;
    policer_.tokens +=
        policer_.rate * static_cast<double>(world_.now() - policer_.at) / LIVETCP_USEC_SEC;
    policer_.tokens = std::min(policer_.tokens, policer_.burst);
    policer_.at = world_.now();
    if (policer_.tokens < static_cast<double>(bytes))
        return false;
    policer_.tokens -= static_cast<double>(bytes);
    return true;
}

void SimLink::set(const lt_link_params &params)
{
    require(lt_link_set(link_, world_.now(), &params, nullptr) == LIVETCP_OK, "bad parameters");
    arm();
}

lt_link_params SimLink::params() const
{
    lt_link_params params;
    lt_link_get_params(link_, &params);
    return params;
}

lt_link_counters SimLink::counters() const
{
    lt_link_counters counters;
    lt_link_get_counters(link_, &counters);
    return counters;
}

void SimLink::arm()
{
    livetcp_usec next = lt_link_next(link_);
    world_.cancel(timer_);
    timer_ = next == LIVETCP_NEVER ? 0 : world_.at(next, [this] { deliver_due(); });
}

void SimLink::deliver_due()
{
    lt_link_delivery delivery;
    timer_ = 0;
    while (lt_link_pop(link_, world_.now(), &delivery)) {
        std::unique_ptr<Arrival> arrive(static_cast<Arrival *>(delivery.packet));
        if (!cut_)
            (*arrive)(delivery.marked);
    }
    for (void *packet; lt_link_drop(link_, &packet);)
        delete static_cast<Arrival *>(packet);
    arm();
}

SimPath::SimPath(World &world, const char *spec, uint64_t seed)
    : forward(world, link_params(spec), seed), backward(world, link_params(spec), seed + 1),
      ecn(forward.params().ecn_classic)
{
}

void SimPath::change(const char *spec)
{
    for (SimLink *link : {&forward, &backward}) {
        lt_link_params params = link->params();
        livetcp_error error;
        require(lt_link_params_parse(&params, spec, &error) == LIVETCP_OK, spec);
        link->set(params);
    }
}

} // namespace scenario
