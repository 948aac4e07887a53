#include "sonic/config_follower.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sonic/notifications.hpp"

namespace petrel::sonic {

namespace {

using namespace std::chrono_literals;

// How often the tables are read without a notification. Each read covers all of them, which costs the server more than
// a poll of the counters. If the server sends notifications, these reads only catch lost ones.
constexpr Duration kReadWithoutNotifications = 2s;
constexpr Duration kReadAnyway = 30s;

constexpr std::string_view kEntries = "PFC_WD|";

// Changes in APPL_DB (LLDP) are found by the periodic reads.
constexpr std::array<std::string_view, 8> kTables{"PFC_WD|*",
                                                  "PORT|*",
                                                  "PORT_QOS_MAP|*",
                                                  "BUFFER_PROFILE|*",
                                                  "DEVICE_NEIGHBOR|*",
                                                  "DEVICE_NEIGHBOR_METADATA|*",
                                                  "FLEX_COUNTER_TABLE|*",
                                                  "CONFIG_DB_INITIALIZED"};

}  // namespace

// Called before the first read, so that no change between the two is missed.
Result<void> ConfigFollower::subscribe()
{
    if (listener_) {
        return {};
    }
    return redis::Connection::open(place_.address, place_.number, patience_)
        .and_then([&](std::unique_ptr<redis::Connection> opened) {
            redis::Pipeline pipeline;
            subscribe_to_all_keys(pipeline, place_.number);
            return sends_notifications(*opened).and_then([&](bool sends) {
                read_every_ = sends ? kReadAnyway : kReadWithoutNotifications;
                return opened->run(pipeline).map([&] {
                    listener_ = std::move(opened);
                    read_again_ = {};
                    removed_entries_.reset();
                });
            });
        });
}

int ConfigFollower::changes_fd() const { return listener_ && read_every_ == kReadAnyway ? listener_->fd() : -1; }

Result<bool> ConfigFollower::table_changed()
{
    bool changed = false;
    const auto note = [&](redis::View message) {
        const auto key = changed_key(message);
        changed = changed || std::ranges::any_of(kTables, [&](std::string_view keys) { return covers(keys, key); });
        if (removed_entries_ && key.starts_with(kEntries) && reports_removal(message)) {
            removed_entries_->emplace(key.substr(kEntries.size()));
        }
    };
    return subscribe().and_then([&] { return listener_->messages(note); }).map([&] { return changed; });
}

Result<std::optional<Config>> ConfigFollower::follow(Store& store, Instant now)
{
    const auto changed = table_changed();
    if (!changed) {
        listener_.reset();
        return tl::unexpected(changed.error());
    }
    if (!*changed && now < read_again_) {
        return std::nullopt;
    }
    read_again_ = {};  // if the read fails, the next call reads again
    return read_config(store, role_, known_ ? known_ : remembered_).map([&](Config config) -> std::optional<Config> {
        read_again_ = now + read_every_;
        const bool rewritten = removed_entries_ && !removed_entries_->empty();
        if (known_ && known_->tables == config.tables && !rewritten) {
            return std::nullopt;
        }
        config.removed_entries = std::move(removed_entries_);
        removed_entries_.reset();
        if (read_every_ == kReadAnyway) {
            removed_entries_.emplace();
        }
        known_ = std::move(config);
        return known_;
    });
}

}  // namespace petrel::sonic
