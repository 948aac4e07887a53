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
#include "control/report.hpp"
#include "control/request.hpp"

namespace petrel::codec {

// No line includes its newline.
std::string request_json(const control::ControlRequest&);
Result<control::ControlRequest> read_request(std::string_view line);

std::string answer_json(const control::StatusReport&);
std::string answer_json(std::span<const control::QueueReport>);
std::string answer_json(const control::ExplainReport&);
std::string answer_json(const control::OrderReport&);
std::string answer_json(const control::ReloadReport&);
std::string answer_json(const control::TableReport&);
std::string answer_json(std::span<const control::LinkReport>);
std::string answer_json(const Error&);

// Events are lines of docs/events.md. After the last one, unless the client follows, this line marks the end of the
// list.
std::string events_end_json(std::uint64_t events);

// If the answer is an error, these return that Error.
Result<control::StatusReport> read_status(std::string_view line);
Result<std::vector<control::QueueReport>> read_queues(std::string_view line);
Result<control::ExplainReport> read_explanation(std::string_view line);
Result<control::OrderReport> read_order(std::string_view line);
Result<control::ReloadReport> read_reload(std::string_view line);
Result<control::TableReport> read_tables(std::string_view line);
Result<std::vector<control::LinkReport>> read_links(std::string_view line);
Result<std::optional<std::uint64_t>> read_events_end(std::string_view line);  // none = the line is an event

}  // namespace petrel::codec
