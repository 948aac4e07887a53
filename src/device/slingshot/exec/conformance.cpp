#include "device/slingshot/exec/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/exec/exec_request.hpp"
#include "codec/slingshot/register_lines.hpp"

namespace petrel::device::slingshot {

namespace {

using codec::ExecMessage;
using exec::Seen;
using exec::wrong;
using Names = std::vector<std::string_view>;
using Readings = std::vector<Result<PortReading>>;

constexpr std::string_view kNoPort = "no-such-port";
constexpr std::uint32_t kTooSmall = 63;  // no frame is so short

std::uint32_t value_of(const Settings& settings, Register which)
{
    return which == Register::max_frame_size ? settings.max_frame_size : settings.pcp_enable;
}

class RegisterKit {
public:
    RegisterKit(const exec::StartHelper& start, const TimeSource& clock, const std::optional<std::string>& treat)
        : list_(start, clock), treat_(treat)
    {}

    std::vector<exec::Check> run() &&
    {
        list_.hello([this] { return start(); });
        list_.check("read all edge ports", [this] { return read_all(first_); });
        list_.check("read one port", [this] { return read_one(); });
        list_.check("counters only grow", [this] { return read_again(); });
        if (hello_.reads_links) {
            list_.check_links([this](std::string_view name) {
                return std::ranges::any_of(hello_.ports, [&](const Port& port) { return port.names.name == name; });
            });
        }
        list_.check_unknown_call();
        list_.check("unknown port", [this] { return write_refused(kNoPort, "max_frame_size"); });
        list_.check("unknown register", [this] { return write_refused(edge_ports().front(), "pause_timeout"); });
        check_treated("write max_frame_size",
                      [this] { return write_and_restore(Register::max_frame_size, kTooSmall); });
        check_treated("write pcp_enable", [this] { return write_and_restore(Register::pcp_enable, 0); });
        return list_.end([this] { return start(); });
    }

private:
    template <class Run>
    void check_treated(std::string name, Run run)
    {
        if (!treat_) {
            return list_.skip_treated(std::move(name), "port",
                                      edge_ports().empty() ? "Ethernet0" : edge_ports().front());
        }
        list_.check(std::move(name), std::move(run));
    }

    Names edge_ports() const
    {
        Names names;
        for (const auto& port : hello_.ports) {
            if (port.edge) {
                names.push_back(port.names.name);
            }
        }
        return names;
    }

    Seen start()
    {
        auto hello = list_.start().and_then([this] {
            return list_.conversation().hello(codec::registers_hello, codec::read_registers_hello, exec::kHelloWithin);
        });
        if (!hello) {
            return tl::unexpected(hello.error());
        }
        hello_ = std::move(*hello);
        const auto edge = edge_ports();
        if (edge.empty()) {
            return wrong("ports has no port with edge = true: allowed is at least one");
        }
        if (treat_ && std::ranges::find(edge, *treat_) == edge.end()) {
            return wrong(fmt::format("the hello has no edge port '{}', which --treat names", excerpt(*treat_)));
        }
        return fmt::format("'{}' speaks protocol {}, has {} ports, of them {} edge ports, and answers within {} ms",
                           hello_.name, codec::kExecProtocol, hello_.ports.size(), edge.size(),
                           whole_ms(hello_.answer_within));
    }

    Result<Readings> read(const Names& ports)
    {
        return list_.ask([&](std::uint64_t id) { return codec::registers_read(id, ports); })
            .and_then([&](const ExecMessage& answer) { return codec::read_registers(answer, ports); });
    }

    Seen read_ports(const Names& ports, Readings& into)
    {
        return read(ports).and_then([&](Readings readings) -> Seen {
            const auto unreadable = std::ranges::find_if(readings, [](const auto& one) { return !one; });
            if (unreadable != readings.end()) {
                return wrong(fmt::format("{} cannot be read: {}",
                                         ports[static_cast<std::size_t>(unreadable - readings.begin())],
                                         unreadable->error().what));
            }
            into = std::move(readings);
            return fmt::format("{} read", into.size());
        });
    }

    Seen read_all(Readings& into) { return read_ports(edge_ports(), into); }

    Seen read_one()
    {
        Readings readings;
        return read_ports({edge_ports().back()}, readings);
    }

    Seen read_again()
    {
        Readings second;
        return read_all(second).and_then([&](const std::string& seen) -> Seen {
            for (std::size_t i = 0; i != std::min(first_.size(), second.size()); ++i) {
                const auto grows = [&](const auto& before, const auto& now) {
                    return first_[i]->epoch != second[i]->epoch || !before || !now || *now >= *before;
                };
                if (!grows(first_[i]->frames_sent, second[i]->frames_sent) ||
                    !grows(first_[i]->frames_discarded, second[i]->frames_discarded)) {
                    return wrong(fmt::format("{}: a counter shrinks: allowed is that it grows within an epoch",
                                             edge_ports()[i]));
                }
            }
            return seen;
        });
    }

    Seen write_refused(std::string_view port, std::string_view which)
    {
        return exec::expect_error(
            list_.ask_raw(fmt::format(R"("call":"write","port":"{}","register":"{}","value":9216)", port, which)),
            std::nullopt, "an error");
    }

    Result<Settings> settings()
    {
        return exec::during("read", read({*treat_}).and_then([](const Readings& readings) {
            return readings.front().map([](const PortReading& reading) { return reading.settings; });
        }));
    }

    Result<void> write(Register which, std::uint32_t value)
    {
        return exec::during(
            "write", list_.ask([&](std::uint64_t id) { return codec::register_write(id, *treat_, which, value); })
                         .and_then([](const ExecMessage& answer) { return answer.done(); }));
    }

    Result<void> expect(const Settings& wanted, std::string_view when)
    {
        return settings().and_then([&](const Settings& shown) -> Result<void> {
            if (shown != wanted) {
                return wrong(fmt::format("{}, read shows max_frame_size {} and pcp_enable {}: allowed is {} and {}",
                                         when, shown.max_frame_size, shown.pcp_enable, wanted.max_frame_size,
                                         wanted.pcp_enable));
            }
            return {};
        });
    }

    // Puts the value back in a new helper, because the agent may have been killed in between.
    Seen write_and_restore(Register which, std::uint32_t value)
    {
        const auto before = settings();
        if (!before) {
            return tl::unexpected(before.error());
        }
        auto treated = *before;
        (which == Register::max_frame_size ? treated.max_frame_size : treated.pcp_enable) = value;
        const auto written = write(which, value).and_then([&] { return expect(treated, "after write"); }).and_then([&] {
            return exec::during("close", list_.conversation().close());
        });
        const auto again = list_.conversation().ended() ? start().map([](const std::string&) {}) : Result<void>{};
        auto kept = again.and_then([&] { return written ? expect(treated, "in a new helper") : written; });
        auto restored = again.and_then([&] { return write(which, value_of(*before, which)); }).and_then([&] {
            return expect(*before, "after the restore");
        });
        return written.and_then([&] { return kept; }).and_then([&] { return restored; }).map([&] {
            return fmt::format("{} written, put back in a new helper", value);
        });
    }

    exec::Checklist list_;
    const std::optional<std::string>& treat_;
    codec::RegistersHello hello_;
    Readings first_;  // of the first read of all edge ports
};

}  // namespace

std::vector<exec::Check> check_register_helper(const exec::StartHelper& start, const TimeSource& clock,
                                               const std::optional<std::string>& treat)
{
    return RegisterKit{start, clock, treat}.run();
}

}  // namespace petrel::device::slingshot
