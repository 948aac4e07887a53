#include "daemon/sonic/several_asics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace petrel::daemon {

namespace {

void add_text(std::string& all, const std::string& device, const std::string& sentence)
{
    if (!sentence.empty()) {
        all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", device, sentence);
    }
}

template <class List>
List of_device(const List& all, const std::string& device)
{
    List part;
    std::ranges::copy_if(all, std::back_inserter(part), [&](const auto& one) { return one.device == device; });
    return part;
}

}  // namespace

void SeveralAsics::add(std::string device, std::unique_ptr<Nos> nos)
{
    asics_.push_back({std::move(device), std::move(nos), std::nullopt});
}

Nos::Report SeveralAsics::part_of(const Report& report, const std::string& device)
{
    return {of_device(report.queues, device), of_device(report.gone, device), of_device(report.events, device),
            of_device(report.counts, device), report.overrides};
}

Nos::Reply SeveralAsics::exchange(Report report)
{
    Reply all;
    bool changed = false;
    for (auto& [device, nos, policies] : asics_) {
        auto reply = nos->exchange(part_of(report, device));
        if (reply.policies) {
            policies = std::move(reply.policies);
            changed = true;
        }
        for (auto& line : reply.lines) {
            line.device = line.device.empty() ? device : line.device;
            all.lines.push_back(std::move(line));
        }
        add_text(all.trouble, device, reply.trouble);
        add_text(all.concern, device, reply.concern);
    }
    const bool begins = !begun_ && may_begin();
    begun_ = begun_ || begins;
    if (begins || (begun_ && changed)) {
        all.policies = policies_of_all();
    }
    return all;
}

bool SeveralAsics::may_begin()
{
    const auto now = clock_.now().mono;
    const auto answered = [](const Asic& asic) { return asic.policies.has_value(); };
    if (std::ranges::none_of(asics_, answered)) {
        return false;
    }
    waiting_since_ = waiting_since_.value_or(now);
    return std::ranges::all_of(asics_, answered) || now - *waiting_since_ >= kFirstWait;
}

config::PolicyFile SeveralAsics::policies_of_all() const
{
    config::PolicyFile all;
    for (const auto& asic : asics_) {
        if (!asic.policies) {
            continue;
        }
        all.file = asic.policies->file;
        for (auto entry : asic.policies->policies) {
            entry.device = asic.device;
            all.policies.push_back(std::move(entry));
        }
        for (auto neighbour : asic.policies->neighbours) {
            neighbour.device = asic.device;
            all.neighbours.push_back(std::move(neighbour));
        }
        for (const auto& server : asic.policies->server_ports) {
            all.server_ports.push_back({server.port, asic.device});
        }
    }
    return all;
}

Result<void> SeveralAsics::leave()
{
    Result<void> left;
    for (const auto& asic : asics_) {
        if (auto one = asic.nos->leave(); !one && left) {
            left = tl::unexpected(Error{one.error().kind, fmt::format("{}: {}", asic.device, one.error().what)});
        }
    }
    return left;
}

}  // namespace petrel::daemon
