// The registers of a Slingshot switch behind a helper program that speaks JSON lines (docs/device-exec.md). Each call
// is one request.
//
// If the helper ends, is silent or breaks the protocol, every later call fails with the reason, and the registers are
// lost: a new helper may find other settings than the old one left. If only an answer is wrong, that call fails and the
// helper continues.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/slingshot/register_lines.hpp"
#include "device/exec/conversation.hpp"
#include "device/slingshot/registers.hpp"

namespace petrel::device::slingshot {

class HelperRegisters final : public Registers {
public:
    using NoteSink = std::function<void(const std::string&)>;

    // The clock must outlive the registers.
    static Result<std::unique_ptr<HelperRegisters>> open(const exec::StartHelper&, const TimeSource&, NoteSink);

    std::span<const Port> ports() const override { return ports_; }
    Result<std::vector<Result<PortReading>>> read(std::span<const std::uint16_t> ports) override;
    Result<void> write(std::uint16_t port, Register, std::uint32_t value) override;
    bool reads_links() const override { return reads_links_; }
    Result<std::vector<link::LinkSample>> read_links() override;
    bool lost() const override { return conversation_.ended(); }
    Result<void> close() override { return conversation_.close(); }

private:
    HelperRegisters(exec::Conversation conversation, codec::RegistersHello hello, NoteSink report);

    template <class Make>
    Result<codec::ExecMessage> ask(Make make);

    exec::Conversation conversation_;
    std::vector<Port> ports_;
    bool reads_links_;
    NoteSink report_;
};

}  // namespace petrel::device::slingshot
