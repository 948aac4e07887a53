// A device behind a helper program that sends any lines: every call ends with a value or an error, and a helper that
// breaks the protocol is killed. The lines up to the next empty one follow one request.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "device/exec/exec_device.hpp"
#include "device/manual_clock.hpp"
#include "device_exec/scripted_helper.hpp"

namespace {

using namespace petrel;

class Lines {
public:
    explicit Lines(std::string_view text) : left_(text) {}

    std::vector<std::string> next_group()
    {
        std::vector<std::string> group;
        while (!left_.empty()) {
            const auto line = left_.substr(0, left_.find('\n'));
            left_.remove_prefix(std::min(left_.size(), line.size() + 1));
            if (line.empty()) {
                break;
            }
            group.emplace_back(line);
        }
        return group;
    }

private:
    std::string_view left_;
};

class NoNotices final : public device::NoticeSink {
public:
    void post(const watchdog::Notice&) noexcept override {}
};

void look(device::Device& device)
{
    watchdog::Intake intake{device.inventory(), device.capabilities()};
    intake.begin();
    static_cast<void>(device.look({}, intake));
}

void command(device::Device& device, const Target& target, watchdog::Treatment want)
{
    watchdog::Command wanted;
    wanted.target = target;
    wanted.want = want;
    if (const auto undo = device.prepare(wanted)) {
        static_cast<void>(device.apply(wanted, *undo).and_then([&] { return device.await_effect(wanted); }));
        static_cast<void>(device.read_back(target));
    }
}

void use(device::Device& device)
{
    NoNotices notices;
    device.listen(notices);
    static_cast<void>(device.receive_notices());
    look(device);
    const auto rows = device.inventory().rows;
    std::vector<device::DelegatedRow> delegated;
    for (std::uint32_t row = 0; row != rows.size(); ++row) {
        delegated.push_back(
            {Slot{row}, std::chrono::milliseconds{200}, std::chrono::milliseconds{200}, watchdog::Treatment::drop});
    }
    const auto watched = device.delegate_detection(delegated);
    PETREL_ASSERT(!watched || watched->size() == delegated.size(), "one result for each row");
    if (!rows.empty()) {
        command(device, rows.front().target, watchdog::Treatment::drop);
        command(device, rows.front().target, watchdog::Treatment::none);
    }
    look(device);
    static_cast<void>(device.receive_notices());
    static_cast<void>(device.unseen_queues());
    static_cast<void>(device.read_links());
    static_cast<void>(device.close());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Lines lines{{reinterpret_cast<const char*>(data), size}};
    const device::ManualClock clock{Instant{std::chrono::seconds{1}}};
    device::exec::HelperState state;
    const auto start = [&]() -> Result<std::unique_ptr<device::exec::Helper>> {
        return std::make_unique<device::exec::ScriptedHelper>(state,
                                                              [&](const std::string&) { return lines.next_group(); });
    };
    auto opened = device::exec::ExecDevice::open(start, DeviceId{0}, clock, [](const std::string&) {});
    if (!opened) {
        PETREL_ASSERT(state.killed, "a helper without a valid hello is killed");
        return 0;
    }
    use(**opened);
    return 0;
}
