// Slingshot's registers behind a helper program that sends any lines: every call ends with a value or an error, and a
// helper that breaks the protocol is killed. The lines up to the next empty one follow one request.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "device/manual_clock.hpp"
#include "device/slingshot/exec/helper_registers.hpp"
#include "device/slingshot/slingshot_device.hpp"
#include "device_exec/scripted_helper.hpp"

namespace {

using namespace petrel;
using watchdog::Treatment;

std::vector<std::string> next_group(std::string_view& left)
{
    std::vector<std::string> group;
    while (!left.empty()) {
        const auto line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        if (line.empty()) {
            break;
        }
        group.emplace_back(line);
    }
    return group;
}

void look(device::Device& device)
{
    watchdog::Intake intake{device.inventory(), device.capabilities()};
    intake.begin();
    static_cast<void>(device.look({}, intake));
    static_cast<void>(device.unseen_queues());
}

void command(device::Device& device, const Target& target, Treatment want)
{
    watchdog::Command wanted;
    wanted.target = target;
    wanted.want = want;
    if (const auto undo = device.prepare(wanted)) {
        static_cast<void>(device.apply(wanted, *undo));
    }
    static_cast<void>(device.read_back(target));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view left{reinterpret_cast<const char*>(data), size};
    const device::ManualClock clock{Instant{std::chrono::seconds{1}}};
    device::exec::HelperState state;
    const auto start = [&]() -> Result<std::unique_ptr<device::exec::Helper>> {
        return std::make_unique<device::exec::ScriptedHelper>(state,
                                                              [&](const std::string&) { return next_group(left); });
    };
    auto registers = device::slingshot::HelperRegisters::open(start, clock, [](const std::string&) {});
    if (!registers) {
        PETREL_ASSERT(state.killed, "a helper without a valid hello is killed");
        return 0;
    }
    device::slingshot::SlingshotDevice device{DeviceId{0}, std::move(*registers), clock};
    look(device);
    const auto rows = device.inventory().rows;
    if (!rows.empty()) {
        command(device, rows.front().target, Treatment::squeeze);
        look(device);
        command(device, rows.front().target, Treatment::none);
    }
    look(device);
    PETREL_ASSERT(!device.wants_reopening() || state.killed || state.finished, "lost, and neither killed nor ended");
    static_cast<void>(device.close());
    return 0;
}
