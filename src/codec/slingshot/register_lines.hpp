// The lines between Petrel and a helper program for the registers of a Slingshot switch (docs/device-exec.md): the
// requests, without their newline, and the readers of their answers. Links and close are those of the exec protocol.
//
// A reader fails with the helper's own error if the answer is one, and with ErrorKind::corrupt if the line is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/exec/exec_message.hpp"
#include "device/slingshot/registers.hpp"

namespace petrel::codec {

struct RegistersHello {
    std::string name;
    Duration answer_within{};
    bool reads_links{};
    std::vector<device::slingshot::Port> ports;
};

std::string registers_hello(std::uint64_t id);
std::string registers_read(std::uint64_t id, std::span<const std::string_view> ports);
std::string register_write(std::uint64_t id, std::string_view port, device::slingshot::Register, std::uint32_t value);

Result<RegistersHello> read_registers_hello(const ExecMessage&);
// The ports of the request, in its order. A port that the answer leaves out, or that the helper cannot read, is an
// error.
Result<std::vector<Result<device::slingshot::PortReading>>> read_registers(const ExecMessage&,
                                                                           std::span<const std::string_view> ports);

}  // namespace petrel::codec
