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
constexpr std::chrono::milliseconds kAskAgain{2};

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
    return ask(store, db::Db::counters, get,
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

std::string message(const Word& word)
{
    std::vector<std::string> texts{word.oid, word.storm ? "storm" : "restore"};
    for (const auto& [name, value] : db::words(word.info)) {
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
    auto heard = std::numeric_limits<std::int64_t>::max();
    return ask(store, db::Db::counters, pipeline,
               [&](std::size_t, redis::View reply) { heard = std::min(heard, reply.number()); })
        .map([&] { return heard; });
}

Result<bool> is_done(db::RedisStore& store, const Word& word)
{
    return read_state(store, word.oid).map([&](const State& state) {
        return word.storm ? state.status == Status::stormed : state.status != Status::stormed;
    });
}

// Under this key, newer versions of orchagent report that an action has failed.
std::string state_key(const Word& word)
{
    return fmt::format("PFC_WD_SW_STATE_TABLE|{}:{}", word.port, word.priority.value);
}

Result<bool> has_failed(db::RedisStore& store, const Word& word)
{
    const auto key = state_key(word);
    return store.hashes(db::Db::state, {&key, 1}).map([](const std::vector<db::Hash>& state) {
        const auto status = state[0].find("status");
        return status != state[0].end() && status->second == "failed";
    });
}

// For each word: whether its port has an entry in PFC_WD, so that orchagent has registered the queue or will.
Result<std::vector<bool>> have_entries(db::RedisStore& store, std::span<const Word> words)
{
    redis::Pipeline exist;
    for (const auto& word : words) {
        exist.add({"EXISTS", "PFC_WD|" + word.port});
    }
    std::vector<bool> entries(words.size());
    return ask(store, db::Db::config, exist,
               [&](std::size_t i, redis::View reply) { entries[i] = reply.number() != 0; })
        .map([&] { return entries; });
}

}  // namespace

Result<void> tell(db::RedisStore& store, std::span<const Word> words)
{
    const auto entries = have_entries(store, words);
    if (!entries) {
        return tl::unexpected(entries.error());
    }
    std::vector<std::string> messages;
    for (std::size_t i = 0; i != words.size(); ++i) {
        if (words[i].storm || (*entries)[i]) {
            messages.push_back(message(words[i]));
        }
    }
    return messages.empty() ? Result<void>{} : publish(store, messages).map([](std::int64_t) {});
}

Result<void> have_done(db::RedisStore& store, const Word& word, Duration patience)
{
    const auto state = read_state(store, word.oid);
    if (!state) {
        return tl::unexpected(state.error());
    }
    if (state->red_switch && word.storm) {
        return tl::unexpected(Error{
            ErrorKind::denied, "orchagent's big red switch is on: it treats every queue itself and ignores requests"});
    }
    if (state->red_switch) {
        return {};  // the treatment that the agent requested ended when the switch was turned on
    }
    if (word.storm && state->status == Status::unwatched) {
        return tl::unexpected(
            Error{ErrorKind::invalid, "orchagent does not watch this queue: PFC_WD has no entry for its port"});
    }
    if (word.storm == (state->status == Status::stormed)) {
        return {};
    }
    const auto entry = have_entries(store, {&word, 1});
    if (!entry) {
        return tl::unexpected(entry.error());
    }
    const bool told = word.storm || entry->front();
    if (told) {
        const std::array messages{message(word)};
        const auto heard = publish(store, messages);
        if (!heard) {
            return tl::unexpected(heard.error());
        }
        if (*heard == 0) {
            return tl::unexpected(Error{ErrorKind::unreachable,
                                        fmt::format("orchagent does not run: no process listens to {}", kChannel)});
        }
    }
    for (auto left = patience / kAskAgain; left >= 0; --left) {
        const auto done = is_done(store, word);
        if (!done || *done) {
            return done.map([](bool) {});
        }
        ::poll(nullptr, 0, static_cast<int>(kAskAgain.count()));
    }
    if (word.storm && has_failed(store, word).value_or(false)) {
        return tl::unexpected(
            Error{ErrorKind::exhausted,
                  fmt::format("orchagent could not carry out its action: {} is 'failed'; its log has the reason",
                              state_key(word))});
    }
    if (!told) {
        return tl::unexpected(
            Error{ErrorKind::timed_out,
                  fmt::format("PFC_WD|{} is gone, and orchagent has not unregistered the queue yet", word.port)});
    }
    return tl::unexpected(Error{ErrorKind::timed_out, fmt::format("orchagent was sent the {} and has not acted yet",
                                                                  word.storm ? "storm" : "end of the storm")});
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
