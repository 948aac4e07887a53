#include "daemon/command_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/command_json.hpp"
#include "codec/control_json.hpp"
#include "codec/uplink_json.hpp"
#include "config/manager_url.hpp"
#include "daemon/control.hpp"
#include "daemon/manager_endpoints.hpp"
#include "daemon/manager_token.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::daemon {
namespace {

using namespace std::chrono_literals;
using Command = control::ControlRequest::Command;

constexpr auto kCommandFile = "manager.commands";
constexpr std::uint64_t kLargestCommandFile = std::uint64_t{1} << 26U;

// How long the manager may hold a request. Its server ends connections that are silent for 30 s.
constexpr Duration kHold = 20s;
constexpr Duration kAnswerPatience = kHold + 10s;
constexpr Duration kSoonestPoll = 100ms;  // after an answer without commands
constexpr Duration kFirstRetry = 1s;
constexpr Duration kLastRetry = 30s;
// An order's events are in the memory after at most 250 ms. Only then is the order done: a death before would lose it.
constexpr Duration kOrderSettles = 300ms;
// Of an answer: with others it fits into a request.
constexpr std::size_t kLargestAnswer = std::size_t{512} * 1024;

bool is_read(Command command)
{
    return command == Command::status || command == Command::queues || command == Command::explain ||
           command == Command::links;
}

// Commands that an operator may give to many agents.
bool is_for_fleets(Command command)
{
    switch (command) {
    case Command::status:
    case Command::queues:
    case Command::explain:
    case Command::links:
    case Command::mitigate:
    case Command::release:
    case Command::repaired:
    case Command::release_all:
    case Command::hold:
    case Command::clear:
    case Command::red_switch:
    case Command::policy_push:
    case Command::reload: return true;
    default: return false;
    }
}

std::string error_answer(ErrorKind kind, std::string what) { return codec::answer_json(Error{kind, std::move(what)}); }

// In the event of an order: shows after a death of the agent that it was executed.
std::string mark_of(std::uint64_t id) { return fmt::format("(command {})", id); }

}  // namespace

Result<std::unique_ptr<CommandRunner>> CommandRunner::make(runner::Loop& loop, Workers workers,
                                                           const ManagerClients& clients,
                                                           const config::AgentConfig& config, Calls calls)
{
    const auto endpoints =
        manager_endpoints(config.manager_url, config.manager_ca_file, config.manager_certificate_file);
    if (!endpoints) {
        return tl::unexpected(endpoints.error());
    }
    auto file = runtime::HeldFile::take(config.state_dir / kCommandFile);
    if (!file) {
        return tl::unexpected(file.error());
    }
    const auto text = file->folder().read(file->name(), kLargestCommandFile);
    const auto kept = text.and_then([&](const auto& found) {
        return found ? codec::read_command_record(*found, config.manager_url)
                     : Result<uplink::CommandRecord>{uplink::CommandRecord{}};
    });
    if (!kept) {
        calls.log({runner::LogLevel::error,
                   "commands_damaged",
                   {},
                   {},
                   fmt::format("{}: {}; a command whose result the manager does not have may be executed again",
                               file->path().string(), kept.error().what),
                   {}});
    }
    Setup setup{config, clients(*endpoints), std::move(*file), std::move(calls)};
    return std::unique_ptr<CommandRunner>{
        new CommandRunner{loop, std::move(workers), std::move(setup), kept.value_or(uplink::CommandRecord{})}};
}

CommandRunner::CommandRunner(runner::Loop& loop, Workers workers, Setup setup, uplink::CommandRecord before)
    : loop_(loop), setup_(std::move(setup)), inbox_(std::move(before)), workers_(std::move(workers))
{}

CommandRunner::~CommandRunner()
{
    for (const auto* timer : {&next_poll_, &deadline_, &settled_}) {
        if (*timer) {
            loop_.cancel(**timer);
        }
    }
    setup_.client->cancel();
}

void CommandRunner::start()
{
    if (!std::exchange(started_, true)) {
        poll();
    }
}

void CommandRunner::stop()
{
    stopping_ = true;
    setup_.client->cancel();
}

void CommandRunner::poll()
{
    if (stopping_) {
        return;
    }
    auto sent = inbox_.results();
    for (std::size_t bytes = 0, i = 0; i != sent.size(); ++i) {
        bytes += sent[i].answer.size();
        if (i != 0 && bytes > kLargestAnswer) {
            sent.resize(i);  // the others come with the next request
            break;
        }
    }
    const auto sent_at = loop_.now().mono;
    auto body = codec::command_poll_json(sent, kHold);
    setup_.calls.reached("commands_requested");
    const bool added = workers_.network->add(
        runner::JobKind::other, [this, body = std::move(body), sent, sent_at, alive = std::weak_ptr{alive_}] {
            auto answer = exchange(body);
            loop_.post([this, alive, sent, sent_at, answer = std::move(answer)] {
                if (!alive.expired()) {
                    answered(answer, sent, sent_at);
                }
            });
        });
    if (!added) {  // cannot happen: there is one request at a time
        return poll_later(kFirstRetry);
    }
    deadline_ = loop_.at(sent_at + kAnswerPatience, [this] {
        deadline_.reset();
        setup_.client->cancel();
    });
}

// In the worker.
CommandRunner::Answer CommandRunner::exchange(const std::string& body) const
{
    const auto& config = setup_.config;
    auto token = manager_token(config.manager_token_file);
    if (!token) {
        return {0, {}, token.error().what};
    }
    auto response =
        setup_.client->send({.path = fmt::format("/api/v1/agents/{}/commands", config::percent_escaped(config.name)),
                             .body = body,
                             .content_type = "application/json",
                             .token = std::move(*token),
                             .within = kAnswerPatience});
    return response ? Answer{response->status, std::move(response->body), {}} : Answer{0, {}, response.error().what};
}

void CommandRunner::answered(const Answer& answer, const std::vector<uplink::CommandResult>& sent, Instant sent_at)
{
    if (deadline_) {
        loop_.cancel(*std::exchange(deadline_, std::nullopt));
    }
    const auto polled = answer.status == 200
                            ? codec::read_commands(answer.body)
                            : tl::unexpected(Error{ErrorKind::unreachable, codec::problem_text(answer.body)});
    if (!polled) {
        // The uplink reports that the manager does not answer. Only what it says about commands is new.
        if (answer.status != 0 && failures_ == 0) {
            log(runner::LogLevel::warning, "commands_refused",
                fmt::format("{} answers a request for commands with status {} ({})", setup_.config.manager_url,
                            answer.status, excerpt(polled.error().what)));
        }
        const auto shift = std::min(failures_++, 5U);
        return poll_later(std::min(kFirstRetry * (1U << shift), kLastRetry));
    }
    failures_ = 0;
    inbox_.delivered(sent);
    inbox_.take(polled->commands, sent_at, polled->held);
    execute_next();
}

void CommandRunner::poll_later(Duration delay)
{
    next_poll_ = loop_.at(loop_.now().mono + delay, [this] {
        next_poll_.reset();
        poll();
    });
}

void CommandRunner::execute_next()
{
    if (stopping_) {
        return;
    }
    const auto due = inbox_.begin(loop_.now().mono);
    if (!due) {
        return inbox_.results().empty() ? poll_later(kSoonestPoll) : poll();
    }
    const auto request = codec::read_request(due->command.request);
    if (due->expired || !request || !is_for_fleets(request->command) || is_read(request->command)) {
        return execute(*due);
    }
    save([this, due = *due](const Result<void>& stored) {
        if (!stored) {
            return finish(error_answer(ErrorKind::exhausted, fmt::format("not executed: {}", stored.error().what)),
                          true);
        }
        setup_.calls.reached("command_begun");
        execute(due);
    });
}

void CommandRunner::execute(const uplink::CommandInbox::Due& due)
{
    const auto& command = due.command;
    const auto request = codec::read_request(command.request);
    if (!request) {
        return finish(codec::answer_json(request.error()), true);
    }
    if (!is_for_fleets(request->command)) {
        return finish(error_answer(ErrorKind::unsupported,
                                   fmt::format("{} is no command of a manager", control::name(request->command))),
                      true);
    }
    if (due.expired) {
        return finish(error_answer(ErrorKind::timed_out, "not executed: it arrived after its deadline"), true);
    }
    const bool reads = is_read(request->command);
    const auto mark = mark_of(command.id);
    if (due.begun_before && setup_.calls.has_event(mark)) {
        return finish(codec::answer_json(control::OrderReport{{"executed before the agent was started again"}}), true);
    }
    if (!reads) {
        log(runner::LogLevel::notice, "manager_command",
            fmt::format("{} by {} {}", control::name(request->command), excerpt(command.by), mark));
    }
    const auto by = ordered_by(fmt::format("{} {}", escaped(command.by), mark), *request);
    setup_.calls.execute(*request, by, [this, reads, alive = std::weak_ptr{alive_}](std::string line) {
        if (alive.expired()) {
            return;
        }
        if (line.size() > kLargestAnswer) {
            line =
                error_answer(ErrorKind::exhausted, fmt::format("the answer has {} bytes: allowed {}; choose a device "
                                                               "or --stormed",
                                                               line.size(), kLargestAnswer));
        }
        if (reads) {
            return finish(std::move(line), false);
        }
        setup_.calls.reached("command_executed");
        settled_ = loop_.at(loop_.now().mono + kOrderSettles, [this, line = std::move(line)] {
            settled_.reset();
            finish(line, true);
        });
    });
}

void CommandRunner::finish(std::string answer, bool keep)
{
    inbox_.finish(std::move(answer), keep);
    if (!keep) {
        return execute_next();
    }
    save([this](const Result<void>& stored) {
        if (!stored) {
            log(runner::LogLevel::error, "commands_not_written", stored.error().what);
        }
        setup_.calls.reached("command_finished");
        execute_next();
    });
}

void CommandRunner::save(const std::function<void(const Result<void>&)>& then)
{
    const auto& record = inbox_.record();
    const bool added = workers_.disk->add(
        runner::JobKind::other, [this, then, text = codec::command_record_json(setup_.config.manager_url, record),
                                 alive = std::weak_ptr{alive_}] {
            const auto& folder = setup_.file.folder();
            const auto written =
                folder.replace(setup_.file.name(), std::as_bytes(std::span{text}), runtime::kOwnersFile)
                    .and_then([&](const auto&) { return folder.sync(); });
            loop_.post([alive, then, written] {
                if (!alive.expired()) {
                    then(written);
                }
            });
        });
    if (!added) {  // cannot happen: there is one write at a time
        then(tl::unexpected(Error{ErrorKind::exhausted, "the worker has no room"}));
    }
}

void CommandRunner::log(runner::LogLevel level, std::string event, std::string message) const
{
    setup_.calls.log({level, std::move(event), {}, {}, std::move(message), {}});
}

}  // namespace petrel::daemon
