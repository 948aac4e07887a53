// Any bytes from a helper program give a message, with every reader a value or an error that says what is allowed,
// never a crash. A sample that is accepted fits the intake.
#include <array>
#include <string_view>

#include "base/assert.hpp"
#include "codec/exec/exec_message.hpp"
#include "codec/slingshot/register_lines.hpp"
#include "watchdog/intake.hpp"

namespace {

using namespace petrel;

constexpr std::string_view kHello =
    R"({"id":1,"protocol":1,"name":"s","capabilities":{"fields":["pause_us","paused_now","pause_state","tx_packets",)"
    R"("pause_timeout"],"survive":[],"treatments":["drop"],"port_wide":[],"reads_back":true,"detects_itself":true,)"
    R"("refresh_us":0,"stamp_uncertainty_us":0},"inventory":{"ports":[{"name":"a","speed_bps":1,"host_facing":true,)"
    R"("priorities":[3],"port_row":true}]}})";

constexpr std::array<std::string_view, 2> kPorts{"a", "b"};

template <class Value>
bool accepted(const Result<Value>& read)
{
    PETREL_ASSERT(read.has_value() || read.error().kind != ErrorKind::corrupt || !read.error().what.empty(),
                  "refused without a reason");
    return read.has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto known = codec::ExecMessage::parse(kHello)->hello(DeviceId{}).value();
    static const codec::ExecNames names{known.inventory};
    const auto message = codec::ExecMessage::parse({reinterpret_cast<const char*>(data), size});
    if (!accepted(message)) {
        return 0;
    }
    const auto received = instant_from_us(1'000'000);
    if (const auto hello = message->hello(DeviceId{}); accepted(hello)) {
        const watchdog::Intake intake{hello->inventory, hello->capabilities};
        PETREL_ASSERT(codec::ExecNames{hello->inventory}.ambiguous().empty(), "two rows with one name");
    }
    if (const auto samples = message->samples(names, known.capabilities.fields, received); accepted(samples)) {
        watchdog::Intake intake{known.inventory, known.capabilities};
        intake.begin();
        for (const auto& sample : samples->read) {
            PETREL_ASSERT(sample.read_at <= received, "a sample from the future");
            intake.put(sample);
        }
    }
    if (const auto undo = message->undo(); accepted(undo)) {
        PETREL_ASSERT(undo->size <= undo->bytes.size(), "an undo that is too long");
    }
    accepted(message->treatment());
    accepted(message->delegated(names, {}));
    if (const auto links = message->links([](std::string_view name) { return names.is_port(name); }); accepted(links)) {
        PETREL_ASSERT(links->size() <= known.inventory.ports.size(), "a port twice");
    }
    accepted(message->done());
    accepted(message->notice(received));
    accepted(message->inventory(DeviceId{}));
    accepted(message->note());
    if (const auto hello = codec::read_registers_hello(*message); accepted(hello)) {
        for (const auto& port : hello->ports) {
            PETREL_ASSERT(!port.names.name.empty() && port.usual.max_frame_size >= 64, "a port without settings");
        }
    }
    if (const auto readings = codec::read_registers(*message, kPorts); accepted(readings)) {
        PETREL_ASSERT(readings->size() == kPorts.size(), "a port without a reading");
    }
    return 0;
}
