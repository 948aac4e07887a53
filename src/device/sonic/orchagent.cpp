#include "device/sonic/orchagent.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "codec/sonic/json_list.hpp"

namespace petrel::device::sonic {

namespace {

using watchdog::Treatment;

constexpr std::string_view kChannel = "PFC_WD_ACTION";
constexpr std::chrono::milliseconds kReadEvery{2};
constexpr auto kRedSwitchIsOn = "orchagent's big red switch is on: it treats every queue itself and ignores requests";

struct State {
    Status status{};
    bool red_switch{};
    std::string action;
};

Result<State> read_state(db::RedisStore& store, const std::string& oid)
{
    const auto key = "COUNTERS:" + oid;
    redis::Pipeline get;
    get.add({"HMGET", key, "PFC_WD_STATUS", "BIG_RED_SWITCH_MODE", "PFC_WD_ACTION"});
    State state;
    return run(store, db::Db::counters, get,
               [&](std::size_t, redis::View reply) {
                   if (reply.size() != 3) {
                       return;
                   }
                   state.status = status_of(reply[0].text());
                   state.red_switch = reply[1].text() == "enable";
                   state.action = reply[2].text();
               })
        .map([&] { return state; });
}

std::string message_text(const Message& message)
{
    std::vector<std::string> texts{message.oid, message.storm ? "storm" : "restore"};
    for (const auto& [name, value] : db::fields(message.info)) {
        texts.push_back(name);
        texts.push_back(value);
    }
    return codec::json_list(texts);
}

Result<std::int64_t> publish(db::RedisStore& store, std::span<const std::string> messages)
{
    redis::Pipeline pipeline;
    for (const auto& text : messages) {
        pipeline.add({"PUBLISH", kChannel, text});
    }
    auto receivers = std::numeric_limits<std::int64_t>::max();
    return run(store, db::Db::counters, pipeline,
               [&](std::size_t, redis::View reply) { receivers = std::min(receivers, reply.number()); })
        .map([&] { return receivers; });
}

Result<bool> is_done(db::RedisStore& store, const Message& message)
{
    return read_state(store, message.oid).map([&](const State& state) {
        return message.storm ? state.status == Status::stormed : state.status != Status::stormed;
    });
}

// Under this key, newer versions of orchagent report that an action has failed.
std::string state_key(const Message& message)
{
    return fmt::format("PFC_WD_SW_STATE_TABLE|{}:{}", message.port, message.priority.value);
}

Result<bool> has_failed(db::RedisStore& store, const Message& message)
{
    const auto key = state_key(message);
    return store.hashes(db::Db::state, {&key, 1}).map([](const std::vector<db::Hash>& state) {
        const auto status = state[0].find("status");
        return status != state[0].end() && status->second == "failed";
    });
}

// For each message: whether its port has an entry in PFC_WD, so that orchagent has registered the queue or will.
Result<std::vector<bool>> have_entries(db::RedisStore& store, std::span<const Message> messages)
{
    redis::Pipeline exist;
    for (const auto& message : messages) {
        exist.add({"EXISTS", "PFC_WD|" + message.port});
    }
    std::vector<bool> entries(messages.size());
    return run(store, db::Db::config, exist,
               [&](std::size_t i, redis::View reply) { entries[i] = reply.number() != 0; })
        .map([&] { return entries; });
}

}  // namespace

Result<void> publish_messages(db::RedisStore& store, std::span<const Message> messages)
{
    const auto entries = have_entries(store, messages);
    if (!entries) {
        return tl::unexpected(entries.error());
    }
    std::vector<std::string> texts;
    for (std::size_t i = 0; i != messages.size(); ++i) {
        if (messages[i].storm || (*entries)[i]) {
            texts.push_back(message_text(messages[i]));
        }
    }
    return texts.empty() ? Result<void>{} : publish(store, texts).map([](std::int64_t) {});
}

Result<Sent> send(db::RedisStore& store, Message message)
{
    const auto state = read_state(store, message.oid);
    if (!state) {
        return tl::unexpected(state.error());
    }
    if (state->red_switch && message.storm) {
        return tl::unexpected(Error{ErrorKind::denied, kRedSwitchIsOn});
    }
    if (state->red_switch) {  // the treatment that the agent requested ended when the switch was turned on
        return Sent{.message = std::move(message), .published = false, .done = true};
    }
    if (message.storm && state->status == Status::unwatched) {
        return tl::unexpected(
            Error{ErrorKind::invalid, "orchagent does not watch this queue: PFC_WD has no entry for its port"});
    }
    // After an entry was written again, `operational` may hide a treatment for a second: orchagent is sent the end of
    // the storm nevertheless, and ignores it if it treats nothing.
    const bool shown = message.storm == (state->status == Status::stormed);
    if (shown && (message.storm || state->status == Status::unwatched)) {
        return Sent{.message = std::move(message), .published = false, .done = true};
    }
    const auto entry = message.storm ? Result<std::vector<bool>>{{true}} : have_entries(store, {&message, 1});
    if (!entry) {
        return tl::unexpected(entry.error());
    }
    const bool published = entry->front();
    if (published) {
        const std::array texts{message_text(message)};
        const auto receivers = publish(store, texts);
        if (!receivers) {
            return tl::unexpected(receivers.error());
        }
        if (*receivers == 0 && !shown) {
            return tl::unexpected(Error{ErrorKind::unreachable,
                                        fmt::format("orchagent does not run: no process listens to {}", kChannel)});
        }
    }
    return Sent{.message = std::move(message), .published = published, .done = false};
}

Result<void> await(db::RedisStore& store, const Sent& sent, Duration patience)
{
    const auto& message = sent.message;
    if (sent.done) {
        return {};
    }
    for (auto left = patience / kReadEvery; left >= 0; --left) {
        const auto done = is_done(store, message);
        if (!done || *done) {
            return done.map([](bool) {});
        }
        ::poll(nullptr, 0, static_cast<int>(kReadEvery.count()));
    }
    if (message.storm && has_failed(store, message).value_or(false)) {
        return tl::unexpected(
            Error{ErrorKind::exhausted,
                  fmt::format("orchagent could not carry out its action: {} is 'failed'; its log has the reason",
                              state_key(message))});
    }
    if (!sent.published) {
        return tl::unexpected(
            Error{ErrorKind::timed_out,
                  fmt::format("PFC_WD|{} is gone, and orchagent has not unregistered the queue yet", message.port)});
    }
    return tl::unexpected(Error{ErrorKind::timed_out, fmt::format("orchagent was sent the {} and has not acted yet",
                                                                  message.storm ? "storm" : "end of the storm")});
}

Result<void> can_drop(db::RedisStore& store, std::span<const Message> messages)
{
    for (const auto& message : messages) {
        const auto state = read_state(store, message.oid);
        if (!state) {
            return tl::unexpected(state.error());
        }
        const auto refuse = [&](ErrorKind kind, std::string_view why) {
            return tl::unexpected(Error{kind, fmt::format("{}:{}: {}", message.port, message.priority.value, why)});
        };
        if (state->red_switch) {
            return refuse(ErrorKind::denied, kRedSwitchIsOn);
        }
        if (state->status == Status::unwatched) {
            return refuse(ErrorKind::unsupported,
                          "orchagent does not watch this queue; it needs an entry in PFC_WD for its port, and its "
                          "priority in pfcwd_sw_enable");
        }
        if (state->action != "drop") {
            return refuse(ErrorKind::unsupported,
                          fmt::format("orchagent has the action {} for this queue (PFC_WD|{}); lossless-off needs drop",
                                      state->action, message.port));
        }
    }
    return {};
}

Result<Treatment> in_force(db::RedisStore& store, const std::string& oid)
{
    return read_state(store, oid).map([](const State& state) {
        if (state.red_switch || state.status != Status::stormed || state.action == "alert") {
            return Treatment::none;
        }
        return state.action == "forward" ? Treatment::ignore_pause : Treatment::drop;
    });
}

}  // namespace petrel::device::sonic
