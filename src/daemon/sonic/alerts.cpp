#include "daemon/sonic/alerts.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "sonic/queue_tables.hpp"

namespace petrel::daemon {

namespace {

using sonic::Db;

// orchagent acts within milliseconds. If it gets the same message twice, it ignores the second.
constexpr Duration kTimeToAct = std::chrono::seconds{1};

}  // namespace

void Alerts::update(const control::QueueReport& report, Instant now)
{
    const NosQueue name{report.port, *report.priority, report.device};
    if (report.configured != watchdog::Treatment::none) {
        queues_.erase(name);
        return;
    }
    const bool storm = sonic::in_storm(report);
    const auto at = queues_.find(name);
    if (at == queues_.end() ? storm : at->second.storm != storm) {
        queues_[name] = {storm, now + kTimeToAct};
    }
}

Result<std::vector<Alerts::Message>> Alerts::unconfirmed(sonic::Store& store, Instant now)
{
    std::vector<Message> due;
    std::vector<std::string> keys;
    std::vector<sonic::Hash> names;
    for (auto& [name, queue] : queues_) {
        if (now < queue.check_at) {
            continue;
        }
        if (names.empty()) {
            const std::array map{std::string{"COUNTERS_QUEUE_NAME_MAP"}};
            auto read = store.hashes(Db::counters, map);
            if (!read) {
                return tl::unexpected(std::move(read.error()));
            }
            names = std::move(*read);
        }
        queue.check_at = now + kTimeToAct;
        if (const auto at = names.front().find(fmt::format("{}:{}", name.port, name.priority));
            at != names.front().end()) {
            due.push_back({at->second, queue.storm});
            keys.push_back(fmt::format("COUNTERS:{}", at->second));
        }
    }
    if (due.empty()) {
        return due;
    }
    return store.hashes(Db::counters, keys).map([&](const std::vector<sonic::Hash>& shown) {
        std::vector<Message> unconfirmed;
        for (std::size_t i = 0; i != due.size(); ++i) {
            const auto status = shown[i].find("PFC_WD_STATUS");  // none: orchagent does not watch it
            if (status != shown[i].end() && (status->second == "stormed") != due[i].storm) {
                unconfirmed.push_back(due[i]);
            }
        }
        return unconfirmed;
    });
}

}  // namespace petrel::daemon
