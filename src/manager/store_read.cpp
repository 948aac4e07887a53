// What the store gives back.
#include <iterator>

#include "codec/event_reader.hpp"
#include "codec/manager/report_reader.hpp"
#include "manager/store.hpp"
#include "manager/store_guard.hpp"

namespace petrel::manager {
namespace {

using Kind = fabric::Message::Kind;

fabric::Message message_in(SQLite::Statement& row)
{
    fabric::Message message;
    message.position = {from_column(row.getColumn(1).getInt64()), from_column(row.getColumn(2).getInt64())};
    const auto kind = row.getColumn(3).getInt();
    message.kind = kind >= 0 && kind < static_cast<int>(Kind::other) ? static_cast<Kind>(kind) : Kind::other;
    message.port = row.getColumn(4).getString();
    if (!row.getColumn(5).isNull()) {
        message.priority = Priority{static_cast<std::uint8_t>(row.getColumn(5).getInt())};
    }
    message.cause = static_cast<link::Canonical>(row.getColumn(6).getInt());
    message.at = time_of(row.getColumn(7).getInt64());
    message.text = row.getColumn(8).getString();
    message.observed_at = time_of(row.getColumn(9).getInt64());
    if (message.kind == Kind::link_down || message.kind == Kind::link_up) {
        const auto event = codec::read_event(row.getColumn(10).getString());
        message.link = event && event->known ? event->known->link : std::nullopt;
    }
    return message;
}

}  // namespace

Result<void> Store::each_message(const std::function<void(const fabric::Message&)>& use) const
{
    return guarded(path_, [&] {
        std::map<std::int64_t, const fabric::Source*> names;
        for (const auto& [source, number] : source_numbers_) {
            names[number] = &source;
        }
        SQLite::Statement row{*database_, "SELECT source, epoch, number, kind, port, priority, cause, at_us, text, "
                                          "taken_us, event FROM event WHERE kind != ? ORDER BY id"};
        row.bind(1, static_cast<int>(Kind::other));
        while (row.executeStep()) {
            if (const auto source = names.find(row.getColumn(0).getInt64()); source != names.end()) {
                auto message = message_in(row);
                message.source = *source->second;
                use(message);
            }
        }
    });
}

Result<void> Store::each_position(const std::function<void(const fabric::Source&, fabric::Position)>& use) const
{
    return guarded(path_, [&] {
        SQLite::Statement row{*database_, "SELECT epoch, number FROM event WHERE source = ? ORDER BY epoch, number"};
        for (const auto& [source, number] : source_numbers_) {
            row.bind(1, number);
            while (row.executeStep()) {
                use(source, {from_column(row.getColumn(0).getInt64()), from_column(row.getColumn(1).getInt64())});
            }
            row.reset();
        }
    });
}

Result<std::vector<SourceRecord>> Store::sources() const
{
    std::vector<SourceRecord> all;
    for (const auto& [source, number] : source_numbers_) {
        for (auto at = numbers_.lower_bound({number, 0}); at != numbers_.end() && at->first.first == number; ++at) {
            const auto& [highest, forgotten, latest_us] = at->second;
            all.push_back({source, at->first.second, highest, forgotten, time_of(latest_us)});
        }
    }
    return all;
}

fabric::Position Store::last(const std::string& device) const
{
    const auto source = source_numbers_.find({device, fabric::Channel::agent});
    if (source == source_numbers_.end()) {
        return {};
    }
    const auto behind = numbers_.lower_bound({source->second + 1, 0});
    const bool known = behind != numbers_.begin() && std::prev(behind)->first.first == source->second;
    return known ? fabric::Position{std::prev(behind)->first.second, std::prev(behind)->second.highest}
                 : fabric::Position{};
}

Result<HeardTimes> Store::heard() const
{
    return guarded(path_, [&] {
        HeardTimes times;
        SQLite::Statement row{*database_, "SELECT device, at_us FROM heard"};
        while (row.executeStep()) {
            times[row.getColumn(0).getString()] = time_of(row.getColumn(1).getInt64());
        }
        return times;
    });
}

Result<std::vector<AgentRecord>> Store::agents() const
{
    return guarded(path_, [&] {
        std::vector<AgentRecord> all;
        SQLite::Statement row{*database_, "SELECT agent, boot, version, since_us FROM agent"};
        while (row.executeStep()) {
            all.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString(),
                           time_of(row.getColumn(3).getInt64())});
        }
        return all;
    });
}

Result<std::vector<DeviceRecord>> Store::devices() const
{
    return guarded(path_, [&] {
        std::vector<DeviceRecord> all;
        SQLite::Statement row{*database_, "SELECT agent, state FROM device"};
        while (row.executeStep()) {
            if (auto state = codec::read_device_state(row.getColumn(1).getString())) {
                all.push_back({row.getColumn(0).getString(), std::move(*state)});
            }
        }
        return all;
    });
}

Result<std::vector<StoredEvent>> Store::events(const EventQuery& query) const
{
    return guarded(path_, [&] {
        std::vector<StoredEvent> page;
        SQLite::Statement row{
            *database_, query.device.empty()
                            ? "SELECT e.id, s.device, e.port, e.event FROM event e JOIN source s ON s.id = e.source "
                              "WHERE e.id > ? ORDER BY e.id LIMIT ?"
                            : "SELECT e.id, s.device, e.port, e.event FROM event e JOIN source s ON s.id = e.source "
                              "WHERE e.id > ? AND s.device = ?3 ORDER BY e.id LIMIT ?2"};
        row.bind(1, query.after);
        row.bind(2, static_cast<std::int64_t>(query.limit));
        if (!query.device.empty()) {
            row.bind(3, query.device);
        }
        while (row.executeStep()) {
            page.push_back({row.getColumn(0).getInt64(), row.getColumn(1).getString(), row.getColumn(2).getString(),
                            row.getColumn(3).getString()});
        }
        return page;
    });
}

Result<std::vector<StoredSample>> Store::samples(const SampleQuery& query) const
{
    return guarded(path_, [&] {
        std::vector<StoredSample> page;
        SQLite::Statement row{*database_,
                              "SELECT id, device, port, queue, time_us, paused_us, tx_packets, rx_pfc FROM sample "
                              "WHERE id > ?1 AND (?2 = '' OR device = ?2) AND (?3 = '' OR port = ?3) ORDER BY id LIMIT "
                              "?4"};
        row.bind(1, query.after);
        row.bind(2, query.device);
        row.bind(3, query.port);
        row.bind(4, static_cast<std::int64_t>(query.limit));
        while (row.executeStep()) {
            page.push_back({row.getColumn(0).getInt64(),
                            {{row.getColumn(1).getString(), row.getColumn(2).getString()},
                             Priority{static_cast<std::uint8_t>(row.getColumn(3).getInt())},
                             time_of(row.getColumn(4).getInt64()),
                             from_column(row.getColumn(5).getInt64()),
                             from_column(row.getColumn(6).getInt64()),
                             from_column(row.getColumn(7).getInt64())}});
        }
        return page;
    });
}

Result<std::int64_t> Store::last_cursor() const
{
    return guarded(path_, [&] { return database_->execAndGet("SELECT IFNULL(MAX(id), 0) FROM event").getInt64(); });
}

Result<std::vector<AuditEntry>> Store::audit(std::size_t limit) const
{
    return guarded(path_, [&] {
        std::vector<AuditEntry> all;
        SQLite::Statement row{*database_,
                              "SELECT at_us, who, what, target, result FROM audit ORDER BY id DESC LIMIT ?"};
        row.bind(1, static_cast<std::int64_t>(limit));
        while (row.executeStep()) {
            all.push_back({time_of(row.getColumn(0).getInt64()), row.getColumn(1).getString(),
                           row.getColumn(2).getString(), row.getColumn(3).getString(), row.getColumn(4).getString()});
        }
        return all;
    });
}

}  // namespace petrel::manager
