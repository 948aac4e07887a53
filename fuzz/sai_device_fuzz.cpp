// A vendor's library breaks the specification in the ways of bad_libsai.hpp, in any state of the switch. The device
// must return values or an error. The first bytes select the faults, the others are calls of the device and changes of
// the switch.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "device/manual_clock.hpp"
#include "device/sai/sai_device.hpp"
#include "input.hpp"
#include "sai/bad_libsai.hpp"

namespace {

using namespace petrel;
using namespace std::chrono_literals;
using fuzz::Input;

// The faults of bad_libsai.hpp, except those that end or block the process.
constexpr std::array<std::string_view, 32> kFaults{"coarse_timers",
                                                   "create_fails",
                                                   "enabling_without_effect",
                                                   "gives_no_switch",
                                                   "initialize_fails",
                                                   "initializes_by_half",
                                                   "mask_without_effect",
                                                   "no_action",
                                                   "no_buffers",
                                                   "no_detection",
                                                   "no_groups",
                                                   "no_lanes",
                                                   "no_link_state",
                                                   "no_pools",
                                                   "no_port_intervals",
                                                   "no_profiles",
                                                   "no_queue_action",
                                                   "no_queue_index",
                                                   "no_range",
                                                   "no_recovery",
                                                   "no_removal",
                                                   "no_state",
                                                   "no_switch_intervals",
                                                   "one_port_takes_no_interval",
                                                   "one_queue_fails",
                                                   "oper_speed",
                                                   "oper_speed_fails",
                                                   "recovery_without_effect",
                                                   "refuses_callbacks",
                                                   "refuses_callbacks_at_create",
                                                   "separate",
                                                   "state_of_nonsense"};

struct Deaf final : device::NoticeSink {
    void post(const watchdog::Notice&) noexcept override {}
};

class Operator {
public:
    Operator(device::Device& device, test::BadSwitch& model, device::ManualClock& clock, Input& input)
        : device_(device), model_(model), clock_(clock), input_(input)
    {}

    void act()
    {
        switch (input_.take<std::uint8_t>() % 10) {
        case 0: return look();
        case 1: return command();
        case 2: return delegate();
        case 3: return notify();
        case 4: return change_port();
        case 5: return change_queue();
        case 6: return clock_.advance(std::chrono::microseconds{input_.take<std::uint16_t>()});
        case 7: return notify_link();
        case 8: return read_links();
        default: static_cast<void>(device_.read_back(target())); return;
        }
    }

private:
    Target target()
    {
        const auto byte = input_.take<std::uint8_t>();
        const PortId port{DeviceId{0}, static_cast<std::uint16_t>(byte % 5)};
        return {port, byte < 128 ? std::optional{Priority{static_cast<std::uint8_t>(byte / 8 % 8)}} : std::nullopt};
    }
    void look()
    {
        if (!intake_ || device_.inventory().generation != generation_) {
            intake_.emplace(device_.inventory(), device_.capabilities());
            generation_ = device_.inventory().generation;
        }
        intake_->begin();
        static_cast<void>(device_.look({}, *intake_));
    }
    void read_links()
    {
        const auto samples = device_.read_links();
        PETREL_ASSERT(samples && samples->size() <= device_.inventory().ports.size(), "more links than ports");
    }
    void command()
    {
        watchdog::Command command;
        command.target = target();
        command.want = static_cast<watchdog::Treatment>(input_.take<std::uint8_t>() % 8);
        if (const auto undo = device_.prepare(command)) {
            static_cast<void>(device_.apply(command, *undo));
        }
    }
    void delegate()
    {
        std::vector<device::DelegatedRow> rows;
        const auto wanted = input_.take<std::uint8_t>();
        for (std::uint32_t row = 0; row < std::min<std::size_t>(device_.inventory().rows.size(), 8); ++row) {
            if ((wanted >> row & 1) != 0) {
                rows.push_back({Slot{row}, std::chrono::milliseconds{wanted * 3}, 100ms, watchdog::Treatment::drop});
            }
        }
        static_cast<void>(device_.delegate_detection(rows));
    }
    void notify()
    {
        const sai::DeadlockNotice deadlock{input_.take<sai::ObjectId>(), input_.take<std::int8_t>(), false};
        if (model_.on_deadlock != nullptr) {
            model_.on_deadlock(1, &deadlock);
        }
    }
    void notify_link()
    {
        const sai::PortStateNotice state{input_.take<sai::ObjectId>(), input_.take<std::int8_t>(),
                                         input_.take<std::uint32_t>()};
        if (model_.on_port_state != nullptr) {
            model_.on_port_state(1, &state);
        }
    }
    void change_port()
    {
        if (!model_.ports.empty()) {
            auto& port = model_.ports[input_.take<std::uint8_t>() % model_.ports.size()];
            port.status = static_cast<sai::OperStatus>(input_.take<std::uint8_t>() % 6);
            port.speed_mbps = input_.take<std::uint32_t>();
            port.pfc = input_.take<std::uint8_t>();
            port.listed = input_.take<std::uint8_t>() % 4 != 0;
        }
    }
    void change_queue()
    {
        if (!model_.ports.empty()) {
            auto& port = model_.ports[input_.take<std::uint8_t>() % model_.ports.size()];
            const auto q = input_.take<std::uint8_t>() % 8U;
            port.queues[q].pause_status = input_.take<std::uint8_t>() % 2 == 0;
            port.queues[q].packets = input_.take<std::uint64_t>();
            port.pfc_frames[q] = input_.take<std::uint64_t>();
            port.pause_us[q] = input_.take<std::uint64_t>();
        }
    }

    device::Device& device_;
    test::BadSwitch& model_;
    device::ManualClock& clock_;
    Input& input_;
    std::optional<watchdog::Intake> intake_;
    std::uint32_t generation_{};  // of its inventory
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Input input{data, std::min<std::size_t>(size, 2048)};
    std::string faults;
    const auto chosen = input.take<std::uint32_t>();
    for (std::size_t i = 0; i < kFaults.size(); ++i) {
        faults += (chosen >> i & 1U) != 0 ? std::string{kFaults[i]} + ',' : "";
    }
    device::ManualClock clock;
    Deaf sink;
    const auto opened = device::sai::SaiDevice::open({PETREL_BAD_LIBSAI, {{"bad.faults", faults}}, std::nullopt, {}},
                                                     DeviceId{0}, clock, [](const std::string&) {});
    if (!opened) {
        PETREL_ASSERT(!opened.error().what.empty(), "refused without a reason");
        return 0;
    }
    (*opened)->listen(sink);
    void* const library = ::dlopen(PETREL_BAD_LIBSAI, RTLD_NOW | RTLD_NOLOAD);  // the device has loaded it
    auto& model = *reinterpret_cast<test::FindBadSwitch*>(::dlsym(library, "bad_switch"))();
    ::dlclose(library);
    Operator at_work{**opened, model, clock, input};
    while (!input.empty()) {
        at_work.act();
    }
    return 0;
}
