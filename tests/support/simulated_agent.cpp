#include "support/simulated_agent.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/complaint_text.hpp"
#include "cli/agent/agent_command.hpp"
#include "cli/agent/command_line.hpp"
#include "cli/agent/control_command.hpp"
#include "cli/agent_store.hpp"
#include "cli/commands.hpp"
#include "cli/tool_databases.hpp"
#include "codec/control_json.hpp"
#include "daemon/control.hpp"
#include "daemon/log_text.hpp"
#include "daemon/service.hpp"
#include "daemon/surroundings.hpp"
#include "drivers/drivers.hpp"
#include "drivers/sonic_nos.hpp"
#include "sonic_tools/tools.hpp"

namespace petrel::test {

using control::ControlRequest;

namespace {

constexpr auto kUser = "root (uid 0, pid 1)";

// Thrown at the point at which the agent is to die.
struct Killed {};

class MemoryLog final : public daemon::Log {
public:
    using Take = std::function<void(std::string)>;

    MemoryLog(config::LogFormat format, std::string_view agent_name, Take take)
        : format_(format), source_{std::string{agent_name}, ::getpid()}, take_(std::move(take))
    {}
    void write(const Line& line, const Now& now) override { take_(daemon::log_text(format_, line, now.wall, source_)); }
    std::uint64_t dropped() const override { return 0; }

private:
    config::LogFormat format_;
    daemon::LogSource source_;
    Take take_;
};

class NoListener final : public daemon::MetricsListener {
public:
    std::uint16_t port() const override { return 0; }
};

struct Words {
    explicit Words(std::vector<std::string> all) : words(std::move(all))
    {
        std::ranges::transform(words, std::back_inserter(pointers), &std::string::c_str);
    }
    std::vector<std::string> words;
    std::vector<const char*> pointers;
};

Parsed<ExitCode> run_petrel(std::vector<std::string> arguments, const cli::AgentExtras& extras)
{
    arguments.insert(arguments.begin(), "petrel");
    const Words words{std::move(arguments)};
    return cli::run_command_line(cli::petrel_program(), static_cast<int>(words.pointers.size()), words.pointers.data(),
                                 nullptr, &extras);
}

}  // namespace

// The agent from a start to its end: the surroundings of its service.
class SimulatedAgent::Life final : public daemon::Surroundings {
public:
    explicit Life(SimulatedAgent& agent)
        : agent_(agent),
          call_at_([this, alive = std::weak_ptr{alive_}](Instant when, std::function<void()> call) {
              agent_.time_.call_at(when, [this, alive, call = std::move(call)] {
                  if (!alive.expired()) {
                      agent_.guarded(call);
                  }
              });
          }),
          loop_(agent_.time_.clock(), call_at_)
    {}

    // Returns what the process would do, with the exit code if it ends at once.
    std::optional<ExitCode> begin(const cli::AgentOptions& options)
    {
        drivers_ = drivers::make_drivers();
        std::vector<daemon::Driver*> all{&agent_.shared_};
        if (agent_.options_.driver != nullptr) {
            all.push_back(agent_.options_.driver);
        }
        std::ranges::transform(drivers_, std::back_inserter(all), [](const auto& driver) { return driver.get(); });
        const auto read = [options, all] { return cli::read_config(options, all); };
        auto config = read();
        if (!config) {
            std::ranges::for_each(config.error(), [&](const auto& problem) { agent_.add_line(to_text(problem)); });
            return ExitCode::usage;
        }
        auto nos = drivers::make_nos(*config, all, clock());
        if (!nos) {
            return fail(nos.error());
        }
        auto service = daemon::Service::make(std::move(*config),
                                             {.read_config = read,
                                              .drivers = all,
                                              .version = "test",
                                              .reached = [this](std::string_view point) { agent_.reached(point); },
                                              .nos = std::move(*nos)},
                                             *this);
        if (!service) {
            return fail(service.error());
        }
        service_ = std::move(*service);
        service_->start();
        loop_.turn();
        return std::nullopt;
    }

    bool stopped() const { return stopped_; }
    ExitCode finish()
    {
        const auto finished = service_->finish();
        return finished ? ExitCode::ok : fail(finished.error());
    }

    void give(int signal)
    {
        loop_.post([this, signal] { on_signal_(signal); });
        loop_.turn();
    }

    // The answer comes later if the service needs time.
    std::shared_ptr<const std::optional<std::string>> send(const ControlRequest& request)
    {
        auto answer = std::make_shared<std::optional<std::string>>();
        const bool events = request.command == ControlRequest::Command::events;
        if (events && (request.queue.empty() || control_->history.last(request).count != 0)) {
            const auto known = daemon::check_device(control_->devices, request.device);
            *answer = known ? events_answer(control_->history, request) : codec::answer_json(known.error());
            return answer;
        }
        loop_.post([this, request, answer] {
            control_->handle_request(
                request, daemon::ordered_by(kUser, request),
                [this, answer](const daemon::ControlAnswer& how) { *answer = how(control_->history); });
        });
        loop_.turn();
        return answer;
    }

    std::string metrics() const { return daemon::whole_metrics(look_()); }

    // Surroundings
    runner::Loop& loop() override { return loop_; }
    void stop() override { stopped_ = true; }
    const device::TimeSource& clock() const override { return agent_.time_.clock(); }
    std::unique_ptr<runner::Worker> make_worker(std::size_t most_jobs) override
    {
        return std::make_unique<SimulatedWorker>(loop_, call_at_, most_jobs);
    }
    Result<void> on_signals(std::function<void(int signal)> then) override
    {
        on_signal_ = std::move(then);
        return {};
    }
    Result<std::unique_ptr<daemon::Log>> open_log(config::LogFormat format, std::string_view,
                                                  std::string_view agent_name) override
    {
        return std::make_unique<MemoryLog>(format, agent_name,
                                           [this](std::string line) { agent_.add_line(std::move(line)); });
    }
    Result<std::unique_ptr<daemon::RawLog>> open_switch_log(std::string_view to) override
    {
        return daemon::RawLog::open(to);
    }
    Result<std::unique_ptr<daemon::Control>> open_control(daemon::ControlSetup setup) override
    {
        control_ = std::make_shared<daemon::ControlSetup>(std::move(setup));
        return std::make_unique<Clients>(*control_);
    }
    Result<std::unique_ptr<daemon::MetricsListener>>
    listen_for_metrics(std::string_view, std::function<daemon::ServiceSnapshot()> look) override
    {
        look_ = std::move(look);
        return std::make_unique<NoListener>();
    }

private:
    // The test is the only client, so there are neither sockets nor followers.
    class Clients final : public daemon::Control {
    public:
        explicit Clients(daemon::ControlSetup& setup) : setup_(setup) {}
        void publish(const std::string& device, std::uint64_t seq, const std::string& event_json) override
        {
            setup_.history.add(device, seq, event_json);
        }
        void keep_names(const NameKept&) override {}
        control::ControlReport counters() const override { return {}; }

    private:
        daemon::ControlSetup& setup_;
    };

    ExitCode fail(const Error& error)
    {
        for (const auto& complaint : error.complaints) {
            agent_.add_line(to_text(complaint));
        }
        agent_.add_line(fmt::format("petrel: {}", error.what));
        return exit_code(error.kind);
    }

    SimulatedAgent& agent_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    lab::CallAt call_at_;
    lab::TwinLoop loop_;
    bool stopped_{};
    std::vector<std::unique_ptr<daemon::Driver>> drivers_;
    std::function<void(int)> on_signal_;
    std::shared_ptr<daemon::ControlSetup> control_;
    std::function<daemon::ServiceSnapshot()> look_;
    std::unique_ptr<daemon::Service> service_;  // the last member: it uses all the others
};

SimulatedAgent::SimulatedAgent(SimulatedTime& time, Options options) : time_(time), options_(std::move(options))
{
    write_config(options_.config);
    start();
}

SimulatedAgent::~SimulatedAgent() = default;

void SimulatedAgent::write_config(const std::string& config) const
{
    std::ofstream{file()} << config << "[agent]\nstate_dir = \"" << state().string() << "\"\n[control]\nsocket = \""
                          << (options_.folder / "control.sock").string()
                          << "\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n[log]\nformat = \"text\"\n";
}

void SimulatedAgent::start()
{
    const auto colon = std::min(options_.die_at.find(':'), options_.die_at.size());
    die_point_ = options_.die_at.substr(0, colon);
    points_left_ = colon < options_.die_at.size() ? std::stoi(options_.die_at.substr(colon + 1)) : 1;
    read_ = lines_.size();
    std::vector<std::string> arguments{"agent", "--config", file().string()};
    arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
    std::optional<cli::AgentOptions> parsed;
    cli::AgentExtras extras;
    extras.run_agent = [&](const cli::AgentOptions& options) {
        parsed = options;
        parsed->extras = nullptr;
        return ExitCode::ok;
    };
    ASSERT_TRUE(run_petrel(std::move(arguments), extras) && parsed);
    life_ = std::make_unique<Life>(*this);
    guarded([&] {
        if (const auto code = life_->begin(*parsed)) {
            end(static_cast<int>(*code));
        }
    });
}

// Everything that runs code of the agent goes through this, because the agent may die or end in it.
void SimulatedAgent::guarded(const std::function<void()>& call)
{
    try {
        call();
        if (life_ && life_->stopped()) {
            end(static_cast<int>(life_->finish()));
        }
    } catch (const Killed&) {
        end(-1);
    }
}

void SimulatedAgent::end(int exit_code)
{
    exit_code_ = exit_code;
    life_.reset();
}

void SimulatedAgent::reached(std::string_view point)
{
    if (point == die_point_ && --points_left_ == 0) {
        throw Killed{};
    }
}

std::string SimulatedAgent::wait_for(const std::vector<std::string>& words)
{
    const auto has_all = [&](const std::string& line) {
        return std::ranges::all_of(words, [&](const auto& word) { return line.find(word) != std::string::npos; });
    };
    std::string found;
    time_.run_until([&] {
        while (found.empty() && read_ < lines_.size()) {
            const auto& line = lines_[read_++];
            found = has_all(line) ? line : "";
        }
        return !found.empty() || ended();
    });
    return found;
}

std::string SimulatedAgent::log_text() const { return fmt::format("{}\n", fmt::join(lines_, "\n")); }

Result<std::string> SimulatedAgent::answer(const ControlRequest& request)
{
    // As it would arrive.
    const auto read = codec::read_request(codec::request_json(request));
    if (!read) {
        return codec::answer_json(read.error());
    }
    std::shared_ptr<const std::optional<std::string>> answer;
    guarded([&] { answer = life_ ? life_->send(*read) : nullptr; });
    if (answer) {
        time_.run_until([&] { return answer->has_value() || ended(); });
    }
    if (!answer || !*answer) {
        return tl::unexpected(Error{ErrorKind::unreachable, "no agent answers"});
    }
    return **answer;
}

// Several lines if they are events, else one.
Result<std::vector<std::string>> SimulatedAgent::lines(const ControlRequest& request)
{
    return answer(request).and_then([&](const std::string& text) -> Result<std::vector<std::string>> {
        std::vector<std::string> lines;
        std::istringstream all{text};
        for (std::string line; std::getline(all, line);) {
            lines.push_back(line);
        }
        if (request.command == ControlRequest::Command::events) {
            if (const auto end = codec::read_events_end(lines.back()); !end) {
                return tl::unexpected(end.error());
            }
            lines.pop_back();
        }
        return lines;
    });
}

Ended SimulatedAgent::control(std::vector<std::string> arguments)
{
    Ended ended{0, 0, {}, {}};
    cli::AgentExtras extras;
    extras.run_control = [&](const cli::ControlOptions& options) {
        const auto answered = lines(options.request);
        if (!answered) {
            ended.err = answered.error().what;
            return exit_code(answered.error().kind);
        }
        auto code = ExitCode::ok;
        for (const auto& line : *answered) {
            const auto shown = cli::shown(options, line, Paint{false}, kAnyWidth);
            code = shown.code;
            ended.out += shown.text;
            ended.err += shown.details + shown.complaint;
        }
        return code;
    };
    const auto code = run_petrel(std::move(arguments), extras);
    if (!code) {
        return {static_cast<int>(ExitCode::usage), 0, {}, to_text(code.error(), "\n")};
    }
    ended.exit_code = static_cast<int>(*code);
    return ended;
}

Ended SimulatedAgent::tool(const std::string& name, std::vector<std::string> arguments)
{
    const auto outcome = sonic_tools::run_tool(
        name, name, arguments,
        {.open_store = [this](const auto& where) -> Result<std::unique_ptr<sonic::Store>> {
             if (!where.redis.empty()) {
                 return cli::ToolDatabases{""}.open(where);
             }
             return std::make_unique<cli::AgentStore>(
                 [this](const ControlRequest& request) { return answer(request); });
         },
         .agent_keeps_tables = [](const auto& where) { return where.redis.empty(); },
         .request_answer = [this](const auto&, const ControlRequest& request) { return lines(request); },
         .may_write = true,
         .cache = options_.folder / "cache",
         .now = time_.clock().now().wall});
    return {outcome.exit_code, 0, outcome.out, outcome.err};
}

std::string SimulatedAgent::metrics() const { return life_ ? life_->metrics() : ""; }

void SimulatedAgent::signal(int number)
{
    guarded([&] {
        if (life_) {
            life_->give(number);
        }
    });
}

int SimulatedAgent::wait()
{
    EXPECT_TRUE(time_.run_until([this] { return ended(); })) << log_text();
    return exit_code_;
}

int SimulatedAgent::stop()
{
    signal(SIGTERM);
    return wait();
}

void SimulatedAgent::kill()
{
    if (life_) {
        end(-1);
    }
}

}  // namespace petrel::test
