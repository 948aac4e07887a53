// Managers that share a log, in simulated time: calls of the bus fail before or after they took effect, or take effect
// late; managers are killed and stopped. Whatever happens, all of them have the same history, each event is in it once,
// and what was acknowledged is.
#include "api/group_member.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <utility>

#include "support/temporary_folder.hpp"
#include "uplink/command_inbox.hpp"

namespace petrel::api {
namespace {

using namespace std::chrono_literals;
using manager::Manager;

// The time of all, and what will happen.
class World {
public:
    using Act = std::function<void()>;

    explicit World(unsigned seed) : draw(seed) {}

    Now now() const { return {now_, WallTime{std::chrono::floor<std::chrono::microseconds>(now_.time_since_epoch())}}; }
    runner::Loop::TimerId at(Instant when, Act act)
    {
        const runner::Loop::TimerId id{std::max(when, now_), ++last_};
        acts_[id] = std::move(act);
        return id;
    }
    void cancel(const runner::Loop::TimerId& id) { acts_.erase(id); }
    void run_until(Instant end)
    {
        while (!acts_.empty() && acts_.begin()->first.first <= end) {
            auto next = acts_.extract(acts_.begin());
            now_ = next.key().first;
            next.mapped()();
        }
        now_ = end;
    }
    bool happens(double probability) { return std::bernoulli_distribution{probability}(draw); }
    Duration some(Duration most)
    {
        return Duration{std::uniform_int_distribution<Duration::rep>{0, most.count()}(draw)};
    }

    std::mt19937 draw;

private:
    Instant now_{1000s};
    std::uint64_t last_{};
    std::map<runner::Loop::TimerId, Act> acts_;
};

// One process: stopped, all its callbacks wait.
class Process final : public runner::Loop {
public:
    explicit Process(World& world) : world_(world) {}

    Now now() const override { return world_.now(); }
    TimerId at(Instant when, std::function<void()> act) override
    {
        return world_.at(when, [this, act = std::move(act)] { run(act); });
    }
    void cancel(const TimerId& id) override { world_.cancel(id); }
    void post(std::function<void()> act) override
    {
        last_post_ = std::max(last_post_, now().mono + world_.some(2ms));
        world_.at(last_post_, [this, act = std::move(act)] { run(act); });
    }
    void run(const std::function<void()>& act)
    {
        if (stopped_) {
            waiting_.push_back(act);
        } else {
            act();
        }
    }
    void stop() { stopped_ = true; }
    void go_on()
    {
        stopped_ = false;
        for (const auto& act : std::exchange(waiting_, {})) {
            run(act);
        }
    }
    bool stopped() const { return stopped_; }

private:
    World& world_;
    bool stopped_{};
    Instant last_post_{};
    std::vector<std::function<void()>> waiting_;
};

class SlowWorker final : public runner::Worker {
public:
    SlowWorker(World& world, Process& process) : world_(world), process_(process) {}
    ~SlowWorker() override { *alive_ = false; }

    bool add(runner::JobKind, std::function<void()> job) override
    {
        free_at_ = std::max(free_at_, world_.now().mono) + world_.some(3ms);
        world_.at(free_at_, [this, alive = alive_, job = std::move(job)] {
            if (*alive) {
                process_.run(job);
            }
        });
        return true;
    }
    void when_readable(int, std::function<void()>) override {}
    std::optional<Instant> busy_since() const override { return std::nullopt; }

private:
    World& world_;
    Process& process_;
    Instant free_at_{};
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
};

// What the servers have.
struct Servers {
    std::vector<std::string> log;
    std::map<std::string, bus::Cell> cells;
    std::uint64_t revision{};
    double trouble{};  // how likely a call fails
};

class TroubledBus final : public bus::Bus {
public:
    TroubledBus(World& world, Servers& servers) : world_(world), servers_(servers) {}

    Result<bus::LogEnds> open() override
    {
        return fails() ? lost() : Result<bus::LogEnds>{bus::LogEnds{"log", 1, servers_.log.size()}};
    }
    Result<bus::Append> append(std::uint64_t number, std::string_view entry) override
    {
        if (fails()) {
            if (world_.happens(0.3)) {  // it arrives later, or never
                world_.at(world_.now().mono + world_.some(8s), [&to = servers_, number, text = std::string{entry}] {
                    static_cast<void>(take(to, number, text));
                });
            }
            return lost();
        }
        const auto taken = take(servers_, number, std::string{entry});
        return fails() ? lost() : Result<bus::Append>{taken};
    }
    Result<std::optional<std::string>> read(std::uint64_t number) override
    {
        if (fails()) {
            return lost();
        }
        const bool late = number == servers_.log.size() && world_.happens(0.1);
        return number > servers_.log.size() || late ? std::nullopt : std::optional{servers_.log[number - 1]};
    }
    Result<bus::Cell> cell(const std::string& name) override
    {
        return fails() ? lost() : Result<bus::Cell>{servers_.cells[name]};
    }
    Result<std::uint64_t> replace(const std::string& name, std::uint64_t revision, const std::string& text) override
    {
        if (fails() || servers_.cells[name].revision != revision) {
            return lost();
        }
        servers_.cells[name] = {++servers_.revision, text};
        return fails() ? lost() : Result<std::uint64_t>{servers_.revision};
    }
    void cut_off() { cut_off_ = true; }
    void tell(std::string_view) override {}  // all messages get lost
    void listen(std::function<void(std::string_view)>) override {}

private:
    bool fails() { return cut_off_ || world_.happens(servers_.trouble); }
    static tl::unexpected<Error> lost() { return tl::unexpected(Error{ErrorKind::timed_out, "no answer"}); }
    static bus::Append take(Servers& to, std::uint64_t number, const std::string& entry)
    {
        if (number != to.log.size() + 1) {
            return bus::Append::refused;
        }
        to.log.push_back(entry);
        return bus::Append::stored;
    }

    World& world_;
    Servers& servers_;
    bool cut_off_{};
};

codec::Report report_of(const std::string& agent, std::uint64_t first, std::uint64_t last)
{
    auto text = fmt::format(
        "{{\"report\":1,\"agent\":\"{}\",\"boot\":\"0123456789abcdef0123456789abcdef\",\"version\":\"x\"}}\n", agent);
    for (auto seq = first; seq <= last; ++seq) {
        text += fmt::format(R"({{"seq":{},"time_us":{},"event":"{}","device":"{}","port":"Ethernet0","queue":3,)"
                            R"("policy":"tor","reason":"proven","action":"drop","cause":null,"evidence":null}})"
                            "\n",
                            seq, seq, seq % 2 == 1 ? "storm_detected" : "storm_restored", agent);
    }
    return codec::read_report(text).value();
}

// A manager with its file. It takes reports as the service does: one commit at a time.
class Living {
public:
    Living(World& world, Servers& servers, std::filesystem::path file, std::string name)
        : world_(world), servers_(servers), file_(std::move(file)), name_(std::move(name))
    {
        start();
    }

    void start()
    {
        process_ = std::make_unique<Process>(world_);
        manager_ = std::make_unique<Manager>(Manager::start(manager::Store::open(file_).value()).value());
        bus_ = std::make_shared<TroubledBus>(world_, servers_);
        const auto worker = [&] { return std::make_unique<SlowWorker>(world_, *process_); };
        member_ = std::make_unique<GroupMember>(
            *process_, GroupMember::Workers{worker(), worker()}, *manager_, GroupOptions{bus_, "http://" + name_},
            fmt::format("{}{}", name_, ++starts_),
            GroupMember::Calls{[](const auto&, auto) {}, [] {}, [](const auto&) {}, [](const auto&) {}, [](auto) {}});
    }
    void kill()
    {
        graves_.push_back(std::move(process_));  // what was planned in it never happens
        graves_.back()->stop();
        bus_->cut_off();
        member_.reset();
        manager_.reset();
    }
    bool lives() const { return manager_ != nullptr; }
    Process& process() { return *process_; }
    Manager& manager() { return *manager_; }
    bool takes() const { return lives() && !process_->stopped() && member_->leads() && !member_->busy(); }
    bool leads() const { return lives() && member_->leads(); }
    GroupMember::Status status() const { return member_->status(world_.now().mono); }
    void commit(std::function<void(bool)> done)
    {
        member_->commit([done = std::move(done)](const auto& stored) { done(stored.has_value()); });
    }
    std::vector<manager::StoredEvent> history() const { return manager_->store().events({{}, 0, 1'000'000}).value(); }

private:
    World& world_;
    Servers& servers_;
    std::filesystem::path file_;
    std::string name_;
    unsigned starts_{};
    std::vector<std::unique_ptr<Process>> graves_;
    std::shared_ptr<TroubledBus> bus_;
    std::unique_ptr<Process> process_;
    std::unique_ptr<Manager> manager_;
    std::unique_ptr<GroupMember> member_;
};

struct SimulatedAgent {
    std::string name;
    std::uint64_t acknowledged{};
    uplink::CommandInbox inbox{};
    std::map<std::string, unsigned> executed{};  // by order
};

class GroupTest : public testing::TestWithParam<unsigned> {
protected:
    void agents_report(Living& living)
    {
        auto& manager = living.manager();
        for (auto& agent : agents) {
            if (world.happens(0.5)) {
                const auto first =
                    agent.acknowledged + 1 - std::min<std::uint64_t>(agent.acknowledged, world.draw() % 3);
                manager.take(report_of(agent.name, first, agent.acknowledged + world.draw() % 4), agent.name,
                             world.now());
            }
            if (world.happens(0.3)) {
                poll(agent, manager);
            }
        }
        if (world.happens(0.1)) {
            const fleet::Order order{
                .request = "{}", .what = fmt::format("order {}", ++orders), .reads = false, .selection = {.all = true}};
            manager.commands().order(order, {agents[0].name, agents[1].name}, "alice", world.now(),
                                     manager.troubles(world.now().mono));
        }
        manager.commands().advance(world.now(), manager.troubles(world.now().mono));
        living.commit([this, &living](bool stored) {
            for (auto& agent : agents) {
                const auto highest = living.manager().store().last(agent.name).number;
                if (stored) {
                    EXPECT_GE(highest, agent.acknowledged) << "an acknowledged event is lost";
                    agent.acknowledged = std::max(agent.acknowledged, highest);
                }
            }
        });
    }

    // The answer to a request for commands is lost at times.
    void poll(SimulatedAgent& agent, Manager& manager)
    {
        for (const auto& result : agent.inbox.results()) {
            manager.commands().result(agent.name, {result.id, true, result.answer}, world.now());
        }
        if (world.happens(0.3)) {
            return;
        }
        std::vector<uplink::ManagerCommand> commands;
        for (const auto& one : manager.commands().waiting_for(agent.name, world.now().wall)) {
            commands.push_back({one.id, one.by, one.request, one.within});
        }
        agent.inbox.take(commands, world.now().mono, {});
        while (const auto due = agent.inbox.begin(world.now().mono)) {
            ++agent.executed[fmt::format("{}", due->command.id)];
            agent.inbox.finish("{}");
        }
    }

    void trouble()
    {
        auto& one = *managers.at(world.draw() % managers.size());
        const auto back = world.now().mono + world.some(20s);
        if (!one.lives() || one.process().stopped()) {
            return;
        }
        switch (world.draw() % 4) {
        case 0:
            one.kill();
            world.at(back, [&one] { one.start(); });
            break;
        case 1:
            one.process().stop();
            world.at(back, [&one] { one.process().go_on(); });
            break;
        case 2:
            servers.trouble = 1;
            world.at(back, [this] { servers.trouble = 0.02; });
            break;
        default: servers.trouble = 0.3; break;
        }
    }

    World world{GetParam()};
    Servers servers;
    test::TemporaryFolder folder;
    std::vector<std::unique_ptr<Living>> managers;
    std::array<SimulatedAgent, 3> agents{{{"leaf0"}, {"leaf1"}, {"leaf2"}}};
    unsigned orders{};
};

TEST_P(GroupTest, AllHaveTheSameHistoryAndEachEventOnce)
{
    for (int i = 0; i != 3; ++i) {
        managers.push_back(
            std::make_unique<Living>(world, servers, folder / fmt::format("m{}.db", i), fmt::format("m{}", i)));
    }
    servers.trouble = 0.02;
    const auto end = world.now().mono + 300s;
    while (world.now().mono < end) {
        world.run_until(world.now().mono + world.some(400ms));
        for (const auto& one : managers) {
            if (one->takes()) {
                agents_report(*one);
            }
        }
        if (world.happens(0.02)) {
            trouble();
        }
    }
    world.run_until(world.now().mono + 30s);
    servers.trouble = 0;
    const auto good = [&] {
        return std::ranges::all_of(
            managers, [&](const auto& one) { return one->status().good && one->status().entry == servers.log.size(); });
    };
    for (int s = 0; s != 60 && !good(); ++s) {
        world.run_until(world.now().mono + 1s);
    }
    ASSERT_TRUE(good()) << "nobody leads, or not all have read the log";
    const auto history = managers[0]->history();
    for (const auto& one : managers) {
        EXPECT_EQ(one->history(), history);
        EXPECT_EQ(one->manager().store().audit(100'000).value(), managers[0]->manager().store().audit(100'000).value());
        EXPECT_EQ(one->manager().store().commands().value(), managers[0]->manager().store().commands().value());
    }
    std::map<std::string, std::uint64_t> numbers;
    for (const auto& event : history) {
        EXPECT_THAT(event.event, testing::HasSubstr(fmt::format("\"seq\":{},", ++numbers[event.device])));
    }
    for (const auto& agent : agents) {
        EXPECT_GE(numbers[agent.name], agent.acknowledged);
        EXPECT_GT(agent.acknowledged, 100U) << "too little happened";
        for (const auto& [order, times] : agent.executed) {
            EXPECT_EQ(times, 1U) << order;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GroupTest, testing::Range(1U, 13U));

}  // namespace
}  // namespace petrel::api
