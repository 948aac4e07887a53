#include "cli/agent_store.hpp"

#include <algorithm>

#include "codec/control_json.hpp"

namespace petrel::cli {
namespace {

using control::ControlRequest;
using sonic::Db;
using sonic::Hash;

ControlRequest request(ControlRequest::Command command, Db db)
{
    ControlRequest made;
    made.command = command;
    made.db = static_cast<std::uint8_t>(db);
    return made;
}

}  // namespace

Result<control::TableReport> AgentStore::send(const ControlRequest& wanted) const
{
    return send_(wanted).and_then([](const std::string& line) { return codec::read_tables(line); });
}

Result<std::vector<std::string>> AgentStore::keys(Db db, std::string_view prefix)
{
    auto wanted = request(ControlRequest::Command::table_keys, db);
    wanted.prefix = prefix;
    return send(wanted).map([](control::TableReport report) { return std::move(report.keys); });
}

// Splits the request into parts that the agent accepts.
Result<std::vector<Hash>> AgentStore::hashes(Db db, std::span<const std::string> keys)
{
    std::vector<Hash> all;
    while (!keys.empty()) {
        const auto bite = keys.first(std::min(keys.size(), control::kMostTableKeys));
        keys = keys.subspan(bite.size());
        auto wanted = request(ControlRequest::Command::table_hashes, db);
        wanted.keys.assign(bite.begin(), bite.end());
        auto report = send(wanted);
        if (!report) {
            return tl::unexpected(std::move(report.error()));
        }
        report->hashes.resize(bite.size());  // exactly one hash for each key, whatever the agent sends
        std::move(report->hashes.begin(), report->hashes.end(), std::back_inserter(all));
    }
    return all;
}

// An agent that answers has initialised its tables.
Result<bool> AgentStore::is_set(Db db, const std::string& key)
{
    auto wanted = request(ControlRequest::Command::table_keys, db);
    wanted.prefix = key;
    return send(wanted).map(
        [&](const control::TableReport&) { return db == Db::config && key == sonic::kConfigFilled; });
}

Result<void> AgentStore::apply(Db db, std::span<const sonic::Change> changes)
{
    auto wanted = request(ControlRequest::Command::table_change, db);
    wanted.changes.assign(changes.begin(), changes.end());
    return send(wanted).map([](const control::TableReport&) {});
}

}  // namespace petrel::cli
