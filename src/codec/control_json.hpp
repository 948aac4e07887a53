// The lines that go over the control socket (docs/agent-commands.md): requests and answers as JSON. Requests are read
// strictly: an unknown key could change what the client meant. Answers are read leniently: an agent of another version
// may send more keys, or fewer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "codec/control_report.hpp"

namespace petrel::codec {

std::string_view name(ControlRequest::Command);
std::string_view name(DeviceReport::Condition);

// The words for the state of a queue, in JSON and in text.
std::string_view phase_word(std::optional<watchdog::Phase>);       // "unseen" without a phase
std::string_view action_word(std::optional<watchdog::Treatment>);  // as in policy files; empty without an action
std::string_view treatment_word(watchdog::Treatment);              // as in policy files, and "none"

// No line includes its newline.
std::string request_json(const ControlRequest&);
Result<ControlRequest> read_request(std::string_view line);

std::string answer_json(const StatusReport&);
std::string answer_json(std::span<const QueueReport>);
std::string answer_json(const ExplainReport&);
std::string answer_json(const OrderReport&);
std::string answer_json(const ReloadReport&);
std::string answer_json(const TableReport&);
std::string answer_json(const Error&);

// Events are lines of docs/events.md. After the last one, unless the client follows, this line marks the end of the
// list.
std::string events_end_json(std::uint64_t events);

// If the answer is an error, these return that Error.
Result<StatusReport> read_status(std::string_view line);
Result<std::vector<QueueReport>> read_queues(std::string_view line);
Result<ExplainReport> read_explanation(std::string_view line);
Result<OrderReport> read_order(std::string_view line);
Result<ReloadReport> read_reload(std::string_view line);
Result<TableReport> read_tables(std::string_view line);
Result<std::optional<std::uint64_t>> read_events_end(std::string_view line);  // none = the line is an event

}  // namespace petrel::codec
