// The watchdog as a library: a queue that is paused for 500 ms is found after 400 ms. The caller has the device, the
// clock and the loop; here they are three counters and a variable.
//
//   c++ main.cpp $(pkg-config --cflags --libs petrel-watchdog) -o storm && ./storm
#include <chrono>
#include <cstdio>

#include "watchdog/intake.hpp"
#include "watchdog/watchdog.hpp"

using namespace std::chrono_literals;
using namespace petrel;
using namespace petrel::watchdog;

int main()
{
    // One port with one lossless queue, of a device that counts pause time and can drop.
    const Target queue{{}, Priority{3}};
    const Inventory inventory{{{queue, BitRate{100'000'000'000}, true}}, {{"Ethernet0", {}, {}}}, 1};
    Capabilities capabilities;
    capabilities.fields = bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::tx_packets);
    capabilities.treatments = bit(Treatment::drop);

    auto watchlist = compile({{find_preset("sonic")->policy}, {{}}}, inventory, capabilities);
    if (!watchlist) {
        for (const auto& problem : watchlist.error()) {
            std::printf("%s: %s\n", problem.value.c_str(), problem.allowed.c_str());
        }
        return 1;
    }

    Instant now{};
    Intake intake{inventory, capabilities};
    Watchdog watchdog{std::move(*watchlist), now};
    Outbox outbox;
    for (; now <= Instant{500ms}; now += 100ms) {
        Sample sample;
        sample.read_at = now;
        sample.known = capabilities.fields;
        sample.epoch = 1;
        sample.paused_now = true;
        sample[Field::pause_us] = static_cast<std::uint64_t>(whole_us(now));
        intake.begin();
        intake.put(sample);
        watchdog.look(intake.view(), now, outbox);
        for (const auto& command : outbox.commands) {
            std::printf("%lld ms: %s gets the treatment %s\n", static_cast<long long>(whole_ms(now.time_since_epoch())),
                        to_string(inventory, command.target).c_str(), name(command.want).data());
            // The device did it at once and reads back the same.
            watchdog.settle({command.id, Verdict::confirmed, command.want, now, {}}, now, outbox);
        }
        outbox.clear();
    }
    return watchdog.phase(Slot{0}) == Phase::mitigated ? 0 : 1;
}
