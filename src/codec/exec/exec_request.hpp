// The lines that Petrel sends to a helper program (docs/device-exec.md), without their newline. A request has a number,
// `id`; the helper's answer repeats it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codec/exec/exec_names.hpp"
#include "device/device.hpp"

namespace petrel::codec {

inline constexpr std::uint64_t kExecProtocol = 1;

std::string exec_hello(std::uint64_t id);
std::string exec_look(std::uint64_t id, const ExecNames&, std::span<const Slot> rows);  // no rows = all
std::string exec_prepare(std::uint64_t id, std::string_view target, watchdog::Treatment want);
std::string exec_apply(std::uint64_t id, std::string_view target, watchdog::Treatment want, const device::Undo&);
std::string exec_read_back(std::uint64_t id, std::string_view target);
std::string exec_watch_by_itself(std::uint64_t id, const ExecNames&, std::span<const device::DelegatedRow>);
std::string exec_links(std::uint64_t id);
std::string exec_close(std::uint64_t id);

}  // namespace petrel::codec
