// The reload of the configuration while the service runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/policy_reader.hpp"
#include "config/policy_bind.hpp"
#include "daemon/configuration.hpp"
#include "daemon/notify.hpp"
#include "daemon/service.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::daemon {

namespace {

using namespace std::chrono_literals;

// The least time between the end of a reload and the begin of the next. Requests in between share the next one.
constexpr Duration kReloadEvery = 100ms;
constexpr std::size_t kMostReloadRequests = 64;

Complaint as_complaint(const Error& error) { return {{}, 0, 0, error.what, {}}; }

constexpr auto kPushedFile = "pushed.toml";  // in the state folder
constexpr std::string_view kNoPolicies = "none";

Parsed<config::PolicyFile> read_pushed(const std::string& text)
{
    if (text == kNoPolicies) {
        return config::PolicyFile{};
    }
    return codec::read_policy_file(text, "pushed");
}

// Policies of the NOS come first (with_own). If one of them is idle, that is no problem of the file.
std::vector<Complaint> idle_policies_of_file(const config::PolicyFile& policies, const config::PolicyFile* of_nos,
                                             std::span<const config::DeviceRows> devices)
{
    std::vector<Complaint> problems;
    for (const auto position : config::idle_policies(policies, devices)) {
        if (of_nos == nullptr || position >= of_nos->policies.size()) {
            problems.push_back(as_complaint({ErrorKind::invalid, idle_text(policies.policies[position])}));
        }
    }
    return problems;
}

}  // namespace

// A request that arrives during a reload waits for the next one: the file may have changed since it was read.
void Service::reload(Reloaded done)
{
    if (waiting_reloads_.size() >= kMostReloadRequests) {
        return done(
            tl::unexpected(Error{ErrorKind::exhausted, fmt::format("{} requests wait for a reload already: try again",
                                                                   kMostReloadRequests)}));
    }
    waiting_reloads_.push_back(std::move(done));
    if (waiting_reloads_.size() == 1 && !reloading_) {
        begin_reload();
    }
}

// A push is a reload of the same file with other pushed policies: all of it is in force afterwards, or nothing.
void Service::push_policies(const std::string& policy, const std::string& by, Reloaded done)
{
    if (pushing_ || reloading_ || !waiting_reloads_.empty()) {
        return done(tl::unexpected(Error{ErrorKind::exhausted, "a reload is under way: try again"}));
    }
    pushing_ = policy;
    reload([this, policy, by, done = std::move(done)](const Result<control::ReloadReport>& reloaded) {
        pushing_.reset();
        if (!reloaded || !reloaded->problems.empty()) {
            return done(reloaded);
        }
        note(Log::Level::notice, "policies_pushed", fmt::format("by {}: {}", by, sets_text(pushed_.policies)));
        save_pushed(policy, done);
    });
}

void Service::save_pushed(const std::string& policy, const Reloaded& done)
{
    const auto path = config_.state_dir / kPushedFile;
    const bool added = reader_->add(runner::JobKind::other, [this, policy, done, path] {
        const auto written = runtime::write_atomically(path, policy);
        loop_.post([this, done, written] {
            if (written) {
                return done(reload_);
            }
            note(Log::Level::error, "pushed_not_written", written.error().what);
            done(tl::unexpected(Error{written.error().kind,
                                      fmt::format("in force until the agent ends, because they cannot be stored: {}",
                                                  written.error().what)}));
        });
    });
    if (!added) {  // cannot happen: there is room for a reload and this
        done(tl::unexpected(Error{ErrorKind::exhausted, "the worker has no room"}));
    }
}

// At the start, before any device is opened.
void Service::load_pushed()
{
    const auto path = config_.state_dir / kPushedFile;
    if (!std::filesystem::exists(path)) {
        return;
    }
    const auto text = runtime::read_regular_file(path);
    auto read = text ? read_pushed(*text) : tl::unexpected(std::vector{as_complaint(text.error())});
    if (!read) {
        return note(Log::Level::error, "pushed_damaged",
                    fmt::format("{}: {}; the policies that an operator pushed are not in force", path.string(),
                                to_text(read.error(), "; ")));
    }
    pushed_ = std::move(*read);
    policies_ = std::make_shared<FilePolicies>(in_layers(config_.policies, pushed_, false, nullptr));
}

void Service::begin_reload()
{
    if (const auto now = loop_.now().mono; now < next_reload_) {
        loop_.at(next_reload_, [this] { read_next_config(); });
    } else {
        read_next_config();
    }
}

// Reads the file outside the loop: the disk may be slow, and the file may name many unknown ports.
void Service::read_next_config()
{
    reloading_ = std::exchange(waiting_reloads_, {});
    if (ready_) {
        notify_reloading(loop_.now());
    }
    auto devices = std::make_shared<std::vector<config::DeviceRows>>();
    for (const auto& runner : runners_) {
        if (runner->inventory() != nullptr) {
            devices->push_back({runner->name(), *runner->inventory()});
        }
    }
    const bool all_known = devices->size() == runners_.size();
    const bool by_nos = nos_ != nullptr;
    const auto policies_of_nos = nos_policies_;
    // There is always room: only one reload is under way at a time.
    [[maybe_unused]] const bool added =
        reader_->add(runner::JobKind::other, [this, devices, all_known, by_nos, policies_of_nos, pushed = pushed_,
                                              pushing = pushing_] {
            auto next = std::make_shared<NextConfig>(NextConfig{options_.read_config().map(named), {}, {}, pushed});
            if (auto read = pushing ? read_pushed(*pushing) : pushed; read) {
                next->pushed = std::move(*read);
            } else if (next->config) {
                next->config = tl::unexpected(std::move(read.error()));
            }
            if (next->config && all_known) {
                std::vector<const watchdog::Inventory*> inventories;
                std::ranges::transform(*devices, std::back_inserter(inventories),
                                       [](const config::DeviceRows& of) { return &of.inventory; });
                const auto policies = in_layers(next->config->policies, next->pushed, by_nos, policies_of_nos.get());
                next->unknown_ports = config::unknown_ports(policies, inventories);
                next->idle_policies = idle_policies_of_file(policies, policies_of_nos.get(), *devices);
            }
            loop_.post([this, next] { finish_reload(std::move(*next)); });
        });
}

void Service::finish_reload(NextConfig next)
{
    auto problems = try_reload(std::move(next));
    reload_.problems.clear();
    for (auto& problem : problems) {
        reload_.problems.push_back(to_text(problem));
        // The folder of the client may be another one.
        problem.file = problem.file.empty() ? "" : std::filesystem::absolute(problem.file).string();
    }
    reload_.complaints = problems;
    if (problems.empty()) {
        ++reload_.good;
        note(Log::Level::notice, "reload_good", fmt::format("{} is in force", config_.file));
    } else {
        ++reload_.bad;
        note(Log::Level::error, "reload_bad",
             fmt::format("nothing was changed, the configuration before stays in force: {}",
                         fmt::join(reload_.problems, "; ")));
    }
    if (ready_) {
        notify_ready(problems.empty() ? "configuration reloaded" : "configuration refused, the one before is in force");
    }
    reached("reloaded");
    next_reload_ = loop_.now().mono + kReloadEvery;
    const auto waited = *std::exchange(reloading_, std::nullopt);
    for (const auto& done : waited) {
        done(reload_);
    }
    if (!waiting_reloads_.empty()) {
        begin_reload();
    }
}

// Checks everything before it changes anything.
std::vector<Complaint> Service::try_reload(NextConfig read)
{
    if (stopping_) {
        return {as_complaint({ErrorKind::unreachable, "the agent is being stopped"})};
    }
    auto& next = read.config;
    if (!next) {
        return next.error();
    }
    auto problems = what_needs_a_restart(config_, *next);
    const auto policies =
        std::make_shared<FilePolicies>(in_layers(next->policies, read.pushed, nos_ != nullptr, nos_policies_.get()));
    for (const auto& runner : runners_) {
        if (const auto fits = runner->check(*policies); !fits) {
            for (auto complaint : fits.error()) {
                complaint.value = fmt::format("{} ({})", complaint.value, runner->name());
                problems.push_back(std::move(complaint));
            }
        }
    }
    problems.insert(problems.end(), read.unknown_ports.begin(), read.unknown_ports.end());
    problems.insert(problems.end(), read.idle_policies.begin(), read.idle_policies.end());
    for (auto& why : nos_ ? unused_policies(next->policies, nos_->name()) : std::vector<std::string>{}) {
        problems.push_back(as_complaint({ErrorKind::invalid, std::move(why)}));
    }
    std::unique_ptr<Log> log;
    if (next->log_format != config_.log_format || next->log_to != config_.log_to) {
        auto opened = around_.open_log(next->log_format, next->log_to, next->name);
        if (opened) {
            log = std::move(*opened);
        } else {
            problems.push_back(as_complaint(opened.error()));
        }
    }
    if (!problems.empty()) {
        return problems;
    }
    reached("reload_checked");
    config_ = std::move(*next);
    pushed_ = std::move(read.pushed);
    policies_ = policies;
    if (nos_) {
        nos_->set_overrides(policies_by_port(config_.policies, {}));
    }
    if (log) {
        log_->replace(std::move(log));
    }
    for (const auto& runner : runners_) {
        runner->set_hang_after(config_.hang_after);
        runner->change(policies_);
    }
    unwatched_followed_.clear();
    follow_unwatched_ports();
    return {};
}

}  // namespace petrel::daemon
