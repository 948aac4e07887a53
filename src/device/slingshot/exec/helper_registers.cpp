#include "device/slingshot/exec/helper_registers.hpp"

#include <algorithm>
#include <utility>

#include "codec/exec/exec_request.hpp"

namespace petrel::device::slingshot {

using codec::ExecMessage;

Result<std::unique_ptr<HelperRegisters>> HelperRegisters::open(const exec::StartHelper& start, const TimeSource& clock,
                                                               NoteSink report)
{
    return start().and_then([&](std::unique_ptr<exec::Helper> helper) {
        exec::Conversation conversation{std::move(helper), DeviceId{}, clock};
        return conversation.hello(codec::registers_hello, codec::read_registers_hello, exec::kHelloWithin)
            .map([&](codec::RegistersHello hello) {
                return std::unique_ptr<HelperRegisters>{
                    new HelperRegisters{std::move(conversation), std::move(hello), std::move(report)}};
            });
    });
}

HelperRegisters::HelperRegisters(exec::Conversation conversation, codec::RegistersHello hello, NoteSink report)
    : conversation_(std::move(conversation)),
      ports_(std::move(hello.ports)),
      reads_links_(hello.reads_links),
      report_(std::move(report))
{}

// Of the lines that a helper may send by itself, only notes belong to this protocol.
template <class Make>
Result<ExecMessage> HelperRegisters::ask(Make make)
{
    auto answer = conversation_.ask(make);
    for (const auto& note : conversation_.take_notes()) {
        report_(note);
    }
    if (answer && (conversation_.has_inventory() || !conversation_.take_notices().empty())) {
        return tl::unexpected(conversation_.end_with(
            {ErrorKind::corrupt, "it sent a notice or an inventory: allowed are answers and notes"}));
    }
    return answer;
}

Result<std::vector<Result<PortReading>>> HelperRegisters::read(std::span<const std::uint16_t> ports)
{
    std::vector<std::string_view> names;
    for (const auto port : ports) {
        names.push_back(ports_[port].names.name);
    }
    return ask([&](std::uint64_t id) { return codec::registers_read(id, names); })
        .and_then([&](const ExecMessage& answer) { return codec::read_registers(answer, names); });
}

Result<void> HelperRegisters::write(std::uint16_t port, Register which, std::uint32_t value)
{
    return ask([&](std::uint64_t id) { return codec::register_write(id, ports_[port].names.name, which, value); })
        .and_then([](const ExecMessage& answer) { return answer.done(); });
}

Result<std::vector<link::LinkSample>> HelperRegisters::read_links()
{
    return ask([](std::uint64_t id) { return codec::exec_links(id); }).and_then([&](const ExecMessage& answer) {
        return answer.links([&](std::string_view name) {
            return std::ranges::any_of(ports_, [&](const Port& port) { return port.names.name == name; });
        });
    });
}

}  // namespace petrel::device::slingshot
