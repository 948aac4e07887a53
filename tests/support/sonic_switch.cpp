#include "support/sonic_switch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace petrel::test {

namespace {

using redis::Pipeline;
using redis::View;
using sonic::Db;

constexpr std::array kAll{Db::appl, Db::counters, Db::config, Db::flex_counter, Db::state};
constexpr auto kRequests = "FLEX_COUNTER_GROUP_TABLE_KEY_VALUE_OP_QUEUE";
constexpr auto kGroup = "FLEX_COUNTER_GROUP_TABLE:PFC_WD";
constexpr auto kWords = "PFC_WD_ACTION";
constexpr auto kMark = R"(["mark"])";  // a message to orchagent; when it arrives, all earlier messages are handled

std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> parts;
    std::istringstream stream{text};
    for (std::string part; std::getline(stream, part, at);) {
        parts.push_back(part);
    }
    return parts;
}

// ["a","b"]; the strings contain no quotes.
std::vector<std::string> texts_of(std::string_view json)
{
    const auto parts = split(std::string{json}, '"');
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < parts.size(); i += 2) {
        texts.push_back(parts[i]);
    }
    return texts;
}

unsigned number_of(const std::string& port) { return static_cast<unsigned>(std::stoul(port.substr(8))); }

std::string counters_key(const std::string& oid) { return "COUNTERS:" + oid; }

void run(redis::Connection& connection, const Pipeline& pipeline, const redis::Connection::Visit& visit)
{
    if (const auto done = connection.run(pipeline, visit); !done) {
        throw std::runtime_error(done.error().what);
    }
}

std::string reply_to(redis::Connection& connection, const std::vector<std::string_view>& words)
{
    Pipeline pipeline;
    pipeline.add(words);
    std::string answer;
    run(connection, pipeline, [&](std::size_t, View reply) {
        answer = reply.text().empty() ? std::to_string(reply.number()) : std::string{reply.text()};
        answer = reply.nothing() ? "" : answer;
    });
    return answer;
}

}  // namespace

std::string SonicSwitch::port_oid(const std::string& port)
{
    return fmt::format("oid:0x10000000{:05x}", number_of(port));
}

std::string SonicSwitch::queue_oid(const std::string& queue)
{
    const auto parts = split(queue, ':');
    return fmt::format("oid:0x15000000{:05x}{}", number_of(parts[0]), parts[1]);
}

SonicSwitch::SonicSwitch(const RedisServer& server, Setup setup) : server_(server), setup_(std::move(setup))
{
    for (const auto db : kAll) {
        connections_[db] = server_.connect(static_cast<int>(db));
    }
    for (int i = 0; i != setup_.ports; ++i) {
        ports_.push_back(fmt::format("Ethernet{}", 4 * i));
        for (const auto& priority : split(setup_.classes, ',')) {
            queues_.push_back(ports_.back() + ":" + priority);
        }
    }
    fill();
    orchagent_comes(false);
    poll(Instant{});
}

SonicSwitch::~SonicSwitch()
{
    release();  // a failed test may have left it held
    orchagent_leaves();
}

void SonicSwitch::fill()
{
    Pipeline config;
    Pipeline appl;
    Pipeline maps;
    for (const auto& port : ports_) {
        config.add({"HSET", "PORT|" + port, "speed", "100000", "admin_status", "up"});
        config.add({"HSET", "PORT_QOS_MAP|" + port, "pfc_enable", setup_.classes, "pfcwd_sw_enable", setup_.classes});
        appl.add({"HSET", "PORT_TABLE:" + port, "oper_status", "up"});
        maps.add({"HSET", "COUNTERS_PORT_NAME_MAP", port, port_oid(port)});
        if (!setup_.action.empty()) {
            config.add({"HSET", "PFC_WD|" + port, "detection_time", "400", "restoration_time", "400", "action",
                        setup_.action});
        }
    }
    for (const auto& queue : queues_) {
        maps.add({"HSET", "COUNTERS_QUEUE_NAME_MAP", queue, queue_oid(queue)});
    }
    config.add({"HSET", "PFC_WD|GLOBAL", "POLL_INTERVAL", std::to_string(setup_.poll.count())});
    config.add({"SET", "CONFIG_DB_INITIALIZED", "1"});
    send(Db::config, config);
    send(Db::appl, appl);
    send(Db::counters, maps);
}

void SonicSwitch::send(Db db, const Pipeline& pipeline) const
{
    if (const auto done = connections_.at(db)->run(pipeline); !done) {
        throw std::runtime_error(done.error().what);
    }
}

// ---- syncd

void SonicSwitch::poll(Instant at)
{
    poll_ports(at);
    poll_queues();
}

void SonicSwitch::poll_ports(Instant at)
{
    serve_requests();
    if (!polls()) {
        return;
    }
    Pipeline write;
    for (const auto& queue : queues_) {
        if (!is_registered(queue)) {
            continue;
        }
        const auto& now = counters_[queue];
        const auto parts = split(queue, ':');
        const auto port = counters_key(port_oid(parts[0]));
        const auto field = [&](std::string_view what) {
            return fmt::format("SAI_PORT_STAT_PFC_{}_{}", parts[1], what);
        };
        write.add({"HSET", port, field("RX_PKTS"), std::to_string(now.rx)});
        if (setup_.transitions) {
            write.add({"HSET", port, field("ON2OFF_RX_PKTS"), std::to_string(now.on2off)});
        }
        if (setup_.vendor_pause) {
            write.add({"HSET", port, field("RX_PAUSE_DURATION"), std::to_string(now.pause_us / 13)});
        } else if (setup_.pause_time) {
            write.add({"HSET", port, field("RX_PAUSE_DURATION_US"), std::to_string(now.pause_us)});
        }
    }
    if (setup_.stamps) {
        last_stamp_ = stamps_frozen_ ? last_stamp_ : at;
        write.add({"HSET", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp",
                   std::to_string(last_stamp_.time_since_epoch().count())});
    }
    if (!write.empty()) {
        send(Db::counters, write);
    }
}

void SonicSwitch::poll_queues()
{
    if (!polls()) {
        return;
    }
    write_queues(registered().size());
    if (setup_.stamps) {
        Pipeline stamp;
        stamp.add({"HSET", "COUNTERS:TIME_STAMP", "PFC_WD_Queue_Counter_time_stamp",
                   std::to_string(last_stamp_.time_since_epoch().count())});
        send(Db::counters, stamp);
    }
    if (!plugins_.empty()) {
        ++plugin_runs_;
        run_scripts();
    }
}

// Bulk reads write queues in the order of their registration, other reads in the order of their object ids.
void SonicSwitch::write_queues(std::size_t count)
{
    auto queues = registered();
    if (!setup_.stamps) {
        std::ranges::sort(queues, {}, queue_oid);
    }
    queues.resize(count);
    Pipeline write;
    for (const auto& queue : queues) {
        if (queue == skipped_) {
            continue;
        }
        const auto& now = counters_[queue];
        const auto key = counters_key(queue_oid(queue));
        write.add({"HSET", key, "SAI_QUEUE_STAT_PACKETS", std::to_string(now.tx), "SAI_QUEUE_STAT_DROPPED_PACKETS",
                   std::to_string(now.drops), "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", std::to_string(now.occupancy)});
        if (setup_.pause_status) {
            write.add({"HSET", key, "SAI_QUEUE_ATTR_PAUSE_STATUS", now.paused ? "true" : "false"});
        }
    }
    if (!write.empty()) {
        send(Db::counters, write);
        polled_ = true;
    }
}

void SonicSwitch::poll_queue_statistics()
{
    Pipeline write;
    for (const auto& queue : queues_) {
        write.add({"HSET", counters_key(queue_oid(queue)), "SAI_QUEUE_STAT_PACKETS",
                   std::to_string(counters_[queue].tx), "SAI_QUEUE_STAT_DROPPED_PACKETS",
                   std::to_string(counters_[queue].drops)});
    }
    send(Db::counters, write);
}

void SonicSwitch::run_scripts()
{
    if (!setup_.scripts) {
        return;
    }
    for (const auto& queue : queues_) {
        if (is_registered(queue) && of_queue(queue, "PFC_WD_STATUS") == "operational" && run_script(queue)) {
            Pipeline word;
            word.add({"PUBLISH", kWords, fmt::format(R"(["{}","storm"])", queue_oid(queue))});
            send(Db::counters, word);
        }
    }
}

// Like the script for Broadcom: PFC frames, no end of a pause, paused at both polls. The previous values are in Redis.
bool SonicSwitch::run_script(const std::string& queue)
{
    const auto parts = split(queue, ':');
    const auto port_key = counters_key(port_oid(parts[0]));
    const auto queue_key = counters_key(queue_oid(queue));
    const auto prefix = fmt::format("SAI_PORT_STAT_PFC_{}_", parts[1]);
    const std::array<std::pair<std::string, std::string>, 3> fields{{{port_key, prefix + "RX_PKTS"},
                                                                     {port_key, prefix + "ON2OFF_RX_PKTS"},
                                                                     {queue_key, "SAI_QUEUE_ATTR_PAUSE_STATUS"}}};
    std::array<std::string, 3> now;
    std::array<std::string, 3> last;
    bool complete = true;
    for (std::size_t i = 0; i != fields.size(); ++i) {
        const auto& [key, field] = fields[i];
        now[i] = get(Db::counters, key, field);
        last[i] = get(Db::counters, key, field + "_last");
        set(Db::counters, key, field + "_last", now[i]);
        complete = complete && !last[i].empty();
    }
    if (!complete) {
        return false;
    }
    const auto detection = of_queue(queue, "PFC_WD_DETECTION_TIME");
    const auto left_before = of_queue(queue, "PFC_WD_DETECTION_TIME_LEFT");
    const auto left = std::stol(left_before.empty() ? detection : left_before);
    const auto poll_us = std::chrono::microseconds{setup_.poll}.count();
    const bool paused = now[0] != last[0] && now[1] == last[1] && last[2] == "true" && now[2] == "true";
    const bool storm = paused && left <= poll_us;
    set_of_queue(queue, "PFC_WD_DETECTION_TIME_LEFT", paused && !storm ? std::to_string(left - poll_us) : detection);
    return storm;
}

bool SonicSwitch::polls() const { return get(Db::flex_counter, kGroup, "FLEX_COUNTER_STATUS") != "disable"; }

// A set only adds plug-ins; a del removes all of them.
void SonicSwitch::serve_requests()
{
    auto& flex = *connections_.at(Db::flex_counter);
    for (;;) {
        const auto key = reply_to(flex, {"RPOP", kRequests});
        if (key.empty()) {
            return;
        }
        const auto fields = texts_of(reply_to(flex, {"RPOP", kRequests}));
        const auto operation = reply_to(flex, {"RPOP", kRequests});
        const auto hash = "FLEX_COUNTER_GROUP_TABLE:" + key;
        if (operation == "DDEL") {
            reply_to(flex, {"DEL", hash});
            plugins_.clear();
        } else if (operation == "SSET") {
            for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
                reply_to(flex, {"HSET", hash, fields[i], fields[i + 1]});
                if (fields[i] == "QUEUE_PLUGIN_LIST") {
                    const auto added = split(fields[i + 1], ',');
                    plugins_.insert(added.begin(), added.end());
                }
            }
        } else {
            throw std::runtime_error("syncd ends: unsupported operation " + operation);
        }
    }
}

// ---- orchagent

void SonicSwitch::install_plugins()
{
    Pipeline request;
    request.add({"LPUSH", kRequests, "PFC_WD",
                 fmt::format(R"(["POLL_INTERVAL","{}","STATS_MODE","STATS_MODE_READ","FLEX_COUNTER_STATUS","enable",)"
                             R"("QUEUE_PLUGIN_LIST","sha-detect,sha-restore"])",
                             setup_.poll.count()),
                 "SSET"});
    request.add({"PUBLISH", "FLEX_COUNTER_GROUP_TABLE_CHANNEL@5", "G"});
    send(Db::flex_counter, request);
}

void SonicSwitch::counter_poll(const std::string& status)
{
    set(Db::config, "FLEX_COUNTER_TABLE|PFCWD", "FLEX_COUNTER_STATUS", status);
    Pipeline request;
    request.add({"LPUSH", kRequests, "PFC_WD", fmt::format(R"(["FLEX_COUNTER_STATUS","{}"])", status), "SSET"});
    send(Db::flex_counter, request);
}

void SonicSwitch::register_queue(const std::string& name, const std::string& action)
{
    {
        const std::scoped_lock lock{mutex_};
        if (std::ranges::find(registered_, name) == registered_.end()) {
            registered_.push_back(name);
        }
    }
    const auto port = split(name, ':')[0];
    set(Db::flex_counter, "FLEX_COUNTER_TABLE:PFC_WD:" + queue_oid(name), "QUEUE_COUNTER_ID_LIST",
        "SAI_QUEUE_STAT_PACKETS,SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES");
    set(Db::flex_counter, "FLEX_COUNTER_TABLE:PFC_WD:" + port_oid(port), "PORT_COUNTER_ID_LIST",
        "SAI_PORT_STAT_PFC_3_RX_PKTS");
    const auto key = counters_key(queue_oid(name));
    Pipeline write;
    const auto history = get(Db::config, "PFC_WD|" + split(name, ':')[0], "pfc_stat_history");
    write.add({"HSET", key, "PFC_WD_DETECTION_TIME", "400000", "PFC_WD_RESTORATION_TIME", "400000", "PFC_WD_ACTION",
               action, "PFC_STAT_HISTORY", history.empty() ? "disable" : history, "PFC_WD_STATUS", "operational"});
    for (const auto* total : {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED"}) {
        write.add({"HSETNX", key, total, "0"});
    }
    send(Db::counters, write);
    set(Db::state, "PFC_WD_SW_STATE_TABLE|" + name, "status", "configured");
}

void SonicSwitch::watch(const std::string& port, const std::string& action)
{
    set(Db::config, "PFC_WD|" + port, "action", action);
    for (const auto& queue : queues_) {
        if (queue.starts_with(port + ":")) {
            register_queue(queue, action);
        }
    }
}

void SonicSwitch::unwatch(const std::string& port)
{
    remove(Db::config, "PFC_WD|" + port);
    for (const auto& queue : queues_) {
        if (queue.starts_with(port + ":")) {
            unregister_queue(queue);
        }
    }
}

void SonicSwitch::reject(const std::string& port)
{
    unwatch(port);
    Pipeline entry;
    entry.add({"HSET", "PFC_WD|" + port, "detection_time", "400", "restoration_time", "400", "action", "drop",
               "pfc_stat_history", "disable"});
    send(Db::config, entry);
}

void SonicSwitch::unregister_queue(const std::string& queue)
{
    const std::scoped_lock lock{mutex_};
    std::erase(registered_, queue);
    act(queue, false, StormRow::stays);
    Pipeline write;
    write.add({"HDEL", counters_key(queue_oid(queue)), "PFC_WD_DETECTION_TIME", "PFC_WD_RESTORATION_TIME",
               "PFC_WD_ACTION", "PFC_WD_STATUS"});
    send(Db::counters, write);
    remove(Db::flex_counter, "FLEX_COUNTER_TABLE:PFC_WD:" + queue_oid(queue));
    remove(Db::state, "PFC_WD_SW_STATE_TABLE|" + queue);
}

void SonicSwitch::write_entry_again(const std::string& port)
{
    set(Db::config, "PFC_WD|" + port, "detection_time", "400");
    const std::scoped_lock lock{mutex_};
    for (const auto& queue : registered_) {
        if (queue.starts_with(port + ":") && of_queue(queue, "PFC_WD_STATUS") == "stormed") {
            shown_operational_.insert(queue);
            set_of_queue(queue, "PFC_WD_STATUS", "operational");
        }
    }
}

void SonicSwitch::change_action_in_place(const std::string& port, const std::string& action)
{
    set(Db::config, "PFC_WD|" + port, "action", action);
    for (const auto& queue : registered()) {
        if (queue.starts_with(port + ":")) {
            set_of_queue(queue, "PFC_WD_ACTION", action);
        }
    }
}

void SonicSwitch::tick()
{
    const std::scoped_lock lock{mutex_};
    for (const auto& queue : std::exchange(shown_operational_, {})) {
        set_of_queue(queue, "PFC_WD_STATUS", "stormed");
    }
}

bool SonicSwitch::is_treated(const std::string& queue) const
{
    const std::scoped_lock lock{mutex_};
    return shown_operational_.contains(queue) || of_queue(queue, "PFC_WD_STATUS") == "stormed";
}

bool SonicSwitch::is_registered(const std::string& queue) const
{
    const auto queues = registered();
    return std::ranges::find(queues, queue) != queues.end();
}

std::vector<std::string> SonicSwitch::registered() const
{
    const std::scoped_lock lock{mutex_};
    return registered_;
}

void SonicSwitch::big_red_switch(bool on)
{
    set(Db::config, "PFC_WD|GLOBAL", "BIG_RED_SWITCH", on ? "enable" : "disable");
    for (const auto& queue : queues_) {
        Pipeline write;
        const auto key = counters_key(queue_oid(queue));
        if (on) {
            write.add({"HSET", key, "BIG_RED_SWITCH_MODE", "enable", "PFC_WD_STATUS", "stormed"});
        } else {
            write.add({"HDEL", key, "BIG_RED_SWITCH_MODE"}).add({"HSET", key, "PFC_WD_STATUS", "operational"});
        }
        send(Db::counters, write);
    }
}

void SonicSwitch::lose_names() const { remove(Db::counters, "COUNTERS_QUEUE_NAME_MAP"); }

void SonicSwitch::name_queues(const std::string& port) const
{
    for (const auto& queue : queues_) {
        if (queue.starts_with(port + ":")) {
            set(Db::counters, "COUNTERS_QUEUE_NAME_MAP", queue, queue_oid(queue));
        }
    }
}

void SonicSwitch::orchagent_leaves()
{
    if (thread_.joinable()) {
        ::close(wake_);
        thread_.join();
    }
}

void SonicSwitch::orchagent_comes(bool warm)
{
    std::vector<std::string> in_storm;
    for (const auto& queue : queues_) {
        const auto parts = split(queue, ':');
        const auto row = "PFC_WD_TABLE_INSTORM:" + parts[0];
        if (!get(Db::appl, row, parts[1]).empty()) {
            in_storm.push_back(queue);
        }
        if (!warm) {
            remove(Db::appl, row);
        }
        if (const auto action = get(Db::config, "PFC_WD|" + parts[0], "action"); !action.empty()) {
            register_queue(queue, action);
        }
    }
    install_plugins();
    const auto pipe = detail::make_pipe();
    wake_ = pipe.write_end;
    own_ = server_.connect(static_cast<int>(Db::counters));
    auto subscriber = server_.connect(static_cast<int>(Db::counters));
    Pipeline subscribe;
    subscribe.add({"SUBSCRIBE", kWords});
    run(*subscriber, subscribe, [](std::size_t, View) {});
    for (const auto& queue : in_storm) {
        if (warm) {
            act(queue, true);
        }
    }
    thread_ = std::thread{[this, subscriber = std::move(subscriber), wake = pipe.read_end]() mutable {
        std::array<pollfd, 2> ready{pollfd{subscriber->fd(), POLLIN, 0}, pollfd{wake, POLLIN, 0}};
        while (::poll(ready.data(), ready.size(), -1) > 0 && ready[1].revents == 0) {
            if (!subscriber->messages([this](View message) { receive(message); })) {
                break;  // the server is gone
            }
        }
        ::close(wake);
    }};
}

void SonicSwitch::receive(View message)
{
    std::unique_lock lock{mutex_};
    if (message[2].text() == kMark) {
        ++marks_received_;
        changed_.notify_all();
        return;
    }
    const auto texts = texts_of(message[2].text());
    const auto queue = std::ranges::find(queues_, texts[0], queue_oid);
    const auto name = queue != queues_.end() ? *queue : texts[0];
    messages_.push_back(name + " " + texts[1]);
    additional_info_.clear();
    for (std::size_t i = 2; i + 1 < texts.size(); i += 2) {
        additional_info_ += fmt::format("{}{}:{}", i == 2 ? "" : "|", texts[i], texts[i + 1]);
    }
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    received_.emplace_back(name, texts[1] == "storm");
    if (messages_.size() < acts_after_) {
        return;
    }
    for (const auto& [acted_on, storm] : std::exchange(received_, {})) {
        if (std::ranges::find(registered_, acted_on) != registered_.end()) {
            act(acted_on, storm);
        } else {
            errors_.push_back(fmt::format("{} {}", acted_on, storm ? "storm" : "restore"));
        }
    }
}

// Ignores a message that changes nothing.
void SonicSwitch::act(const std::string& name, bool storm, StormRow storm_row)
{
    const auto key = counters_key(queue_oid(name));
    const auto get_own = [&](std::string_view field) { return reply_to(*own_, {"HGET", key, field}); };
    const auto status = get_own("PFC_WD_STATUS");
    const bool treated = status == "stormed" || shown_operational_.contains(name);
    if (status.empty() || get_own("BIG_RED_SWITCH_MODE") == "enable" || treated == storm) {
        return;
    }
    shown_operational_.erase(name);
    if (storm) {
        reply_to(*own_, {"SELECT", "6"});
        reply_to(*own_, {"HSET", "PFC_WD_SW_STATE_TABLE|" + name, "status", unable_ ? "failed" : "configured"});
        reply_to(*own_, {"SELECT", "2"});
        if (unable_) {
            return;
        }
    }
    const auto detected = std::stol(get_own("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"));
    const auto restored = std::stol(get_own("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED"));
    const auto parts = split(name, ':');
    const auto row = "PFC_WD_TABLE_INSTORM:" + parts[0];
    const auto count = [&](std::string_view field, long value) {
        reply_to(*own_, {"HSET", key, field, std::to_string(value)});
    };
    reply_to(*own_, {"SELECT", "0"});
    if (storm) {
        reply_to(*own_, {"HSET", row, parts[1], "storm"});
    } else if (storm_row == StormRow::follows) {
        reply_to(*own_, {"HDEL", row, parts[1]});
    }
    reply_to(*own_, {"SELECT", "2"});
    if (storm && detected <= restored) {
        count("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", detected + 1);
    }
    if (!storm) {
        count("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", restored + 1);
    }
    reply_to(*own_, {"HSET", key, "PFC_WD_STATUS", storm ? "stormed" : "operational"});
}

void SonicSwitch::act_after(std::size_t messages)
{
    const std::lock_guard lock{mutex_};
    acts_after_ = messages;
}

void SonicSwitch::hold()
{
    const std::scoped_lock lock{mutex_};
    held_ = true;
}

void SonicSwitch::release()
{
    const std::scoped_lock lock{mutex_};
    held_ = false;
    changed_.notify_all();
}

void SonicSwitch::become_unable()
{
    const std::scoped_lock lock{mutex_};
    unable_ = true;
}

void SonicSwitch::catch_up()
{
    reply_to(*connections_.at(Db::counters), {"PUBLISH", kWords, kMark});
    ++marks_;
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return marks_received_ == marks_; });
}

std::vector<std::string> SonicSwitch::errors() const
{
    const std::scoped_lock lock{mutex_};
    return errors_;
}

std::string SonicSwitch::additional_info() const
{
    const std::scoped_lock lock{mutex_};
    return additional_info_;
}

std::vector<std::string> SonicSwitch::messages() const
{
    const std::scoped_lock lock{mutex_};
    return messages_;
}

// ---- the databases

std::string SonicSwitch::get(Db db, const std::string& key, const std::string& field) const
{
    return reply_to(*connections_.at(db), {"HGET", key, field});
}

void SonicSwitch::set(Db db, const std::string& key, const std::string& field, const std::string& value) const
{
    change(db, {"HSET", key, field, value});
}

void SonicSwitch::remove(Db db, const std::string& key) const { change(db, {"DEL", key}); }

// Keyspace notifications may arrive after the reply to the change, but before the reply to the next command: hence the
// PING.
void SonicSwitch::change(Db db, const std::vector<std::string_view>& words) const
{
    reply_to(*connections_.at(db), words);
    reply_to(*connections_.at(db), {"PING"});
}

std::string SonicSwitch::of_queue(const std::string& name, const std::string& field) const
{
    return get(Db::counters, counters_key(queue_oid(name)), field);
}

void SonicSwitch::set_of_queue(const std::string& name, const std::string& field, const std::string& value) const
{
    set(Db::counters, counters_key(queue_oid(name)), field, value);
}

}  // namespace petrel::test
