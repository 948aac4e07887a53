// A Slingshot switch of the twin as a helper program: its registers on stdin and stdout, in the protocol of
// `slingshot:exec:` (docs/device-exec.md). Simulated time passes with the requests and not with the clock: each read of
// all edge ports lets one poll of 10 ms pass. So a test needs no real time, and each run is the same.
//
//   petrel-test-slingshot SCENARIO WRITES [DEFECT=VALUE]
//
// The first policy of SCENARIO names the switch. WRITES is a file that gets a line for each write of a register, with
// the simulated time and the frames that the port has discarded. The defects: `ends_after=N`, the program ends at that
// poll; `unreadable=PORT`, the port cannot be read.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "codec/scenario/reader.hpp"
#include "device/manual_clock.hpp"
#include "device/twin/slingshot_registers.hpp"
#include "lab/live/twin_device.hpp"
#include "scenario/fault.hpp"

namespace petrel::test {
namespace {

using device::slingshot::Port;
using device::slingshot::Register;
using Json = nlohmann::ordered_json;

constexpr twin::Ps kPoll = 10 * twin::kMs;

class TwinHelper {
public:
    TwinHelper(const scenario::Scenario& scenario, std::unique_ptr<twin::Twin> twin, const std::string& writes)
        : node_(scenario.watches.front().node),
          twin_(std::move(twin)),
          registers_(twin_->switch_view(node_), {twin_->setup().topology, node_, clock_}, traits_of(scenario, node_)),
          writes_(writes, std::ios::app)
    {
        scenario::schedule(scenario.faults, *twin_);
    }

    void set_defect(const std::string& defect)
    {
        const auto equals = defect.find('=');
        const auto value = defect.substr(equals + 1);
        if (defect.starts_with("ends_after")) {
            polls_left_ = std::stoi(value);
        } else {
            unreadable_ = value;
        }
    }

    // False: the last request.
    bool answer(const std::string& line)
    {
        const auto request = Json::parse(line);
        const auto call = request.at("call").get<std::string>();
        Json answer{{"id", request.at("id")}};
        if (call == "hello") {
            hello(answer);
        } else if (call == "read") {
            read(request.at("ports"), answer);
        } else if (call == "write") {
            write(request, answer);
        } else if (call == "links") {
            links(answer);
        } else if (call != "close") {
            refuse(answer, "call", call);
        }
        std::cout << answer.dump() << std::endl;
        return call != "close";
    }

private:
    static device::twin::Traits traits_of(const scenario::Scenario& scenario, topology::NodeId node)
    {
        auto traits = lab::hardware_of(scenario, node).traits;
        traits.reads_links = true;
        return traits;
    }

    static void refuse(Json& answer, std::string_view what, std::string_view name)
    {
        answer = {{"id", answer["id"]}, {"error", fmt::format("no {} '{}'", what, name)}, {"kind", "unsupported"}};
    }

    void hello(Json& answer) const
    {
        answer.update({{"protocol", 1},
                       {"registers", "slingshot"},
                       {"name", "twin"},
                       {"reads_links", registers_.reads_links()},
                       {"ports", Json::array()}});
        for (const auto& port : registers_.ports()) {
            answer["ports"].push_back({{"name", port.names.name},
                                       {"speed_bps", port.speed.bps},
                                       {"edge", port.edge},
                                       {"honours", port.honours},
                                       {"max_frame_size", port.usual.max_frame_size},
                                       {"pcp_enable", port.usual.pcp_enable}});
            if (!port.names.xname.empty()) {
                answer["ports"].back()["xname"] = port.names.xname;
            }
            if (port.names.number) {
                answer["ports"].back()["number"] = *port.names.number;
            }
        }
    }

    void read(const Json& ports, Json& answer)
    {
        if (ports.size() == static_cast<std::size_t>(std::ranges::count(registers_.ports(), true, &Port::edge))) {
            pass_a_poll();
        }
        answer["ports"] = Json::array();
        for (const auto& name : ports) {
            answer["ports"].push_back({{"port", name}});
            auto& entry = answer["ports"].back();
            if (name == unreadable_) {
                entry["unreadable"] = "the bus does not answer";
                continue;
            }
            const auto port = number_of(name);
            if (!port) {
                return refuse(answer, "port", name.get<std::string>());
            }
            const auto reading = read(*port);
            entry.update({{"epoch", reading.epoch},
                          {"pause_timeout", reading.pause_timeout},
                          {"max_frame_size", reading.settings.max_frame_size},
                          {"pcp_enable", reading.settings.pcp_enable},
                          {"frames_sent", *reading.frames_sent},
                          {"frames_discarded", *reading.frames_discarded}});
        }
    }

    void links(Json& answer)
    {
        answer["links"] = Json::array();
        at_present([&] {
            const auto links = registers_.read_links().value();
            for (const auto& link : links) {
                answer["links"].push_back({{"port", link.port},
                                           {"up", link.up},
                                           {"downs", link.downs},
                                           {"list", link::list_name(link.code->list)},
                                           {"code", link.code->code},
                                           {"neighbor_reason", *link.nldr}});
            }
        });
    }

    void pass_a_poll()
    {
        if (polls_left_ == 0) {
            std::cerr << "the driver is gone\n";
            std::exit(1);
        }
        --polls_left_;
        twin_->run_until(twin_->now() + kPoll);
    }

    void write(const Json& request, Json& answer)
    {
        const auto port = number_of(request.at("port"));
        if (!port) {
            return refuse(answer, "port", request.at("port").get<std::string>());
        }
        const auto wanted = request.at("register").get<std::string>();
        if (wanted != "pcp_enable" && wanted != "max_frame_size") {
            return refuse(answer, "register", wanted);
        }
        const auto which = wanted == "pcp_enable" ? Register::pcp_enable : Register::max_frame_size;
        const auto value = request.at("value").get<std::uint32_t>();
        writes_ << fmt::format("{} ms: {} {} = {}, {} discarded", twin_->now() / twin::kMs,
                               registers_.ports()[*port].names.name, name(which), value, *read(*port).frames_discarded)
                << std::endl;
        Result<void> done;
        at_present([&] { done = registers_.write(*port, which, value); });
        if (!done) {
            answer["error"] = done.error().what;
        }
    }

    device::slingshot::PortReading read(std::uint16_t port)
    {
        device::slingshot::PortReading reading;
        at_present([&] { reading = registers_.read({&port, 1})->front().value(); });
        return reading;
    }

    // In order with the other events of the switch.
    template <class Call>
    void at_present(Call call)
    {
        twin_->at(node_, twin_->now(), [&](twin::Ps now) {
            clock_.set(twin::to_instant(now));
            call();
        });
        twin_->run_until(twin_->now() + twin::kNs);
    }

    std::optional<std::uint16_t> number_of(const std::string& name) const
    {
        const auto ports = registers_.ports();
        const auto found = std::ranges::find(ports, name, [](const Port& port) { return port.names.name; });
        return found == ports.end() ? std::nullopt : std::optional{static_cast<std::uint16_t>(found - ports.begin())};
    }

    device::ManualClock clock_;
    topology::NodeId node_;
    std::unique_ptr<twin::Twin> twin_;
    device::twin::SlingshotRegisters registers_;
    std::ofstream writes_;
    int polls_left_{-1};
    std::string unreadable_;
};

int run(std::span<char*> arguments)
{
    if (arguments.size() < 3) {
        std::cerr << "usage: petrel-test-slingshot SCENARIO WRITES [DEFECT=VALUE]\n";
        return 2;
    }
    std::ifstream file{arguments[1]};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto scenario = codec::read_scenario(text, std::filesystem::path{arguments[1]}.filename().string());
    auto twin =
        scenario ? twin::Twin::build(scenario->setup) : tl::unexpected(Error{ErrorKind::invalid, "no scenario"});
    if (!twin) {
        std::cerr << arguments[1] << ": " << twin.error().what << '\n';
        return 2;
    }
    TwinHelper helper{*scenario, std::move(*twin), arguments[2]};
    for (auto* defect : arguments.subspan(3)) {
        helper.set_defect(defect);
    }
    for (std::string line; std::getline(std::cin, line);) {
        if (!helper.answer(line)) {
            break;
        }
    }
    return 0;
}

}  // namespace
}  // namespace petrel::test

int main(int argc, char** argv) { return petrel::test::run({argv, static_cast<std::size_t>(argc)}); }
