// The service of a manager that is one of several: only the leader changes anything.
#include <fmt/format.h>

#include <utility>

#include "api/answers.hpp"
#include "api/service.hpp"
#include "runtime/worker_thread.hpp"

namespace petrel::api {

namespace {

using namespace std::chrono_literals;

// Longer than it takes until there is another leader. What a leader has stored already, it ignores.
constexpr Duration kLinesKeptFor = 60s;
constexpr std::size_t kMostLinesKept = 10'000;

}  // namespace

Result<void> Service::join_group()
{
    if (!options_.group) {
        return manager_.store().leave_log();
    }
    auto& group = *options_.group;
    if (group.url.empty()) {
        const auto host = options_.listen.substr(0, options_.listen.rfind(':'));
        group.url = fmt::format("{}://{}:{}", options_.tls ? "https" : "http", host, port_);
    }
    const auto thread = [] { return std::make_unique<runtime::WorkerThread>(GroupMember::kMostJobs); };
    member_ = std::make_unique<GroupMember>(
        loop_, GroupMember::Workers{thread(), thread()}, manager_, group, reports_.boot(),
        GroupMember::Calls{[this](const auto& added, auto batches) { applied(added, batches); },
                           [this] { take_recent_lines(); },
                           [this](const Error& why) {
                               desk_.end(why);
                               changes_that_waited();
                           },
                           [this](const std::string& line) {
                               if (options_.log) {
                                   options_.log(line);
                               }
                           },
                           options_.reached});
    return {};
}

void Service::change_in_turn(http::Reply reply, std::function<void()> make)
{
    if (member_ && !member_->leads()) {
        reply(not_leading());
    } else if (member_ && member_->busy()) {
        changes_.push_back({std::move(reply), std::move(make)});
    } else {
        make();
    }
}

void Service::changes_that_waited()
{
    for (auto& change : std::exchange(changes_, {})) {
        change_in_turn(std::move(change.reply), std::move(change.make));
    }
}

void Service::applied(const std::vector<manager::StoredEvent>& added, std::span<const manager::Batch> batches)
{
    counts_.events += added.size();
    for (const auto& batch : batches) {
        for (const auto& revocation : batch.revocations) {
            access_.revoke(revocation.agent, revocation.at);
        }
    }
    viewers_.publish(added);
}

void Service::keep_recent_line(std::string_view text)
{
    const auto now = loop_.now().mono;
    recent_lines_.push_back({now, std::string{text}});
    while (recent_lines_.size() > kMostLinesKept || now - recent_lines_.front().at > kLinesKeptFor) {
        recent_lines_.pop_front();
    }
}

void Service::take_recent_lines()
{
    for (const auto& line : std::exchange(recent_lines_, {})) {
        take_log(line.text);
    }
}

http::Answer Service::not_leading() const
{
    const auto status = member_->status(loop_.now().mono);
    return problem(kUnavailable, status.leader.empty() || !status.good
                                     ? fmt::format("this manager does not lead, and knows none that does{}",
                                                   status.trouble.empty() ? "" : ": " + status.trouble)
                                     : fmt::format("this manager does not lead: send this to {}", status.leader));
}

http::Answer Service::ready() const
{
    if (!member_) {
        return trouble_.empty() ? http::Answer{kOk, kPlain, "ready\n"} : problem(kUnavailable, trouble_);
    }
    const auto status = member_->status(loop_.now().mono);
    return !status.good   ? problem(kUnavailable, status.trouble)
           : status.leads ? http::Answer{kOk, kPlain, "ready\n"}
                          : http::Answer{kOk, kPlain, fmt::format("ready: follows {}\n", status.leader)};
}

}  // namespace petrel::api
