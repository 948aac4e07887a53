// The JSON keys of requests and answers, shared by the writer and the reader. For the .cpp files of codec only.
#pragma once

#include <string>
#include <type_traits>

#include "base/result.hpp"
#include "control/report.hpp"
#include "control/request.hpp"
#include "control/table_change.hpp"

namespace petrel::codec {

// Text that is JSON already: it is copied into an answer unchanged.
template <class Text>
struct JsonLine {
    Text& text;
};
template <class Text>
JsonLine(Text&) -> JsonLine<Text>;

// Matches a report and a const report: to read into it or to write it.
template <class Report, class Wanted>
concept Is = std::is_same_v<std::remove_const_t<Report>, Wanted>;

template <Is<control::ControlRequest> Request, class Visit>
void visit_fields(Request& r, Visit&& visit)
{
    visit("device", r.device);
    visit("queue", r.queue);
    visit("port", r.port);
    visit("history", r.history);
    visit("sequence", r.sequence);
    visit("stormed", r.stormed);
    visit("follow", r.follow);
    visit("last", r.last);
    visit("state", r.state);
    visit("policy", r.policy);
    visit("since_us", r.since_us);
    visit("types", r.types);
    visit("note", r.note);
    visit("db", r.db);
    visit("prefix", r.prefix);
    visit("keys", r.keys);
    visit("changes", r.changes);
}

template <Is<control::TableChange> Change, class Visit>
void visit_fields(Change& c, Visit&& visit)
{
    visit("kind", c.kind);
    visit("key", c.key);
    visit("fields", c.fields);
}

template <Is<control::TableReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("keys", r.keys);
    visit("hashes", r.hashes);
}

template <Is<Error> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("kind", r.kind);
    visit("what", r.what);
}

template <Is<Complaint> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("file", r.file);
    visit("line", r.line);
    visit("column", r.column);
    visit("value", r.value);
    visit("allowed", r.allowed);
}

template <Is<control::UnseenReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("queue", r.queue);
    visit("why", r.why);
}

template <Is<control::DeviceReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("name", r.name);
    visit("driver", r.driver);
    visit("condition", r.condition);
    visit("why", r.why);
    visit("condition_ms", r.condition_ms);
    visit("ports", r.ports);
    visit("queues", r.queues);
    visit("watched", r.watched);
    visit("watched_ports", r.watched_ports);
    visit("alerted", r.alerted);
    visit("mitigated", r.mitigated);
    visit("latched", r.latched);
    visit("latched_nics", r.latched_nics);
    visit("held", r.held);
    visit("detected", r.detected);
    visit("restored", r.restored);
    visit("poll_us", r.poll_us);
    visit("looks", r.looks);
    visit("polls_missed", r.polls_missed);
    visit("looks_overdue", r.looks_overdue);
    visit("looks_failed", r.looks_failed);
    visit("last_look_us", r.last_look_us);
    visit("longest_look_us", r.longest_look_us);
    visit("commands", r.commands);
    visit("commands_failed", r.commands_failed);
    visit("inventory_changes", r.inventory_changes);
    visit("unseen", r.unseen);
    visit("notes", r.notes);
    visit("device_notes", r.device_notes);
}

template <Is<control::ReloadReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("good", r.good);
    visit("bad", r.bad);
    visit("problems", r.problems);
    visit("complaints", r.complaints);
}

template <Is<control::ControlReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("connections", r.connections);
    visit("refused", r.refused);
    visit("bad", r.bad);
    visit("dropped_slow", r.dropped_slow);
}

template <Is<control::PolicyReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("policy", r.policy);
    visit("source", r.source);
    visit("ports", r.ports);
}

template <Is<control::ManagerReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("url", r.url);
    visit("connected", r.connected);
    visit("since_ms", r.since_ms);
    visit("why", r.why);
    visit("waiting", r.waiting);
    visit("forgotten", r.forgotten);
    visit("forgotten_last", r.forgotten_last);
}

template <Is<control::StatusReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("name", r.name);
    visit("version", r.version);
    visit("config", r.config);
    visit("pid", r.pid);
    visit("up_ms", r.up_ms);
    visit("stop_policy", r.stop_policy);
    visit("red_switch", r.red_switch);
    visit("events", r.events);
    visit("nos", r.nos);
    visit("nos_trouble", r.nos_trouble);
    visit("policies", r.policies);
    visit("idle_policies", r.idle_policies);
    visit("unknown_ports", r.unknown_ports);
    visit("state_errors", r.state_errors);
    visit("state_error", r.state_error);
    visit("files_lost", r.files_lost);
    visit("file_lost", r.file_lost);
    visit("log_lines_dropped", r.log_lines_dropped);
    visit("manager", r.manager);
    visit("control", r.control);
    visit("reload", r.reload);
    visit("devices", r.devices);
}

template <Is<control::IntervalReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("configured_us", r.configured_us);
    visit("programmed_us", r.programmed_us);
    visit("observed_us", r.observed_us);
}

template <Is<control::QueueReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("device", r.device);
    visit("port", r.port);
    visit("queue", r.priority);  // the same key as in events
    visit("policy", r.policy);
    visit("phase", r.phase);
    visit("held", r.held);
    visit("configured", r.configured);
    visit("effective", r.effective);
    visit("observed", r.observed);
    visit("detect_interval", r.detect_interval);
    visit("restore_interval", r.restore_interval);
    visit("proven_us", r.proven_us);
    visit("detected", r.detected);
    visit("restored", r.restored);
    visit("red_switched", r.red_switched);
    visit("red_released", r.red_released);
    visit("tx_ok", r.tx_ok);
    visit("tx_drop", r.tx_drop);
    visit("rx_ok", r.rx_ok);
    visit("rx_drop", r.rx_drop);
    visit("tx_ok_last", r.tx_ok_last);
    visit("tx_drop_last", r.tx_drop_last);
    visit("rx_ok_last", r.rx_ok_last);
    visit("rx_drop_last", r.rx_drop_last);
    visit("in_storm_us", r.in_storm_us);
    visit("longest_pause_us", r.longest_pause_us);
    visit("host_facing", r.host_facing);
    visit("lossless", r.lossless);
}

template <Is<control::ExplainReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("queue", r.queue);
    visit("words", r.lines);
    visit("event", JsonLine{r.event});
}

template <Is<control::LinkEventReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("seq", r.seq);
    visit("ldr", r.ldr);
    visit("nldr", r.nldr);
    visit("cause", r.cause);
    visit("list", r.list);
    visit("code", r.code);
    visit("event_us", r.event_us);
    visit("observed_us", r.observed_us);
    visit("up_us", r.up_us);
    visit("acknowledged", r.acknowledged);
}

template <Is<control::LinkReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("device", r.device);
    visit("port", r.port);
    visit("up", r.up);
    visit("receives_reasons", r.receives_reasons);
    visit("quarantined", r.quarantined);
    visit("last_seq", r.last_seq);
    visit("unacknowledged", r.unacknowledged);
    visit("suppressed", r.suppressed);
    visit("events", r.events);
}

template <Is<control::OrderReport> Report, class Visit>
void visit_fields(Report& r, Visit&& visit)
{
    visit("words", r.lines);
}

}  // namespace petrel::codec
