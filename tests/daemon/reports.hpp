// Reports of an agent with two devices, one of them faulty, as input for tests of the formatters.
#pragma once

#include <vector>

#include "config/stop_policy.hpp"
#include "control/report.hpp"

namespace petrel::daemon {

inline control::StatusReport two_devices()
{
    control::StatusReport status;
    status.name = "tor-17";
    status.version = "1.2.3";
    status.config = "agent.toml";
    status.pid = 4711;
    status.up_ms = 3'725'250;
    status.stop_policy = config::StopPolicy::restore;
    status.events = 12;
    status.nos = "SONiC";
    status.nos_trouble = "Redis at unix:///run/redis.sock: receive: no answer in time";
    status.state_errors = 2;
    status.state_error = "cannot write sw2.state: no space left on device";
    status.files_lost = 4;
    status.file_lost = "control.sock was removed or replaced; the agent created it again";
    status.log_lines_dropped = 5;
    status.control = {.connections = 21, .refused = 1, .bad = 2, .dropped_slow = 3};
    status.reload = {.good = 3, .bad = 1, .problems = {"agent.toml:4:10: value 'x': allowed text, json, rfc5424"}};

    control::DeviceReport good;
    good.name = "sw1";
    good.driver = "twin:fabric.toml";
    good.condition = control::DeviceReport::Condition::watching;
    good.condition_ms = 3'700'000;
    good.ports = 32;
    good.queues = 256;
    good.watched = 64;
    good.alerted = 1;
    good.mitigated = 2;
    good.latched = 1;
    good.detected = 7;
    good.restored = 5;
    good.poll_us = 100'000;
    good.looks = 37'210;
    good.polls_missed = 3;
    good.looks_overdue = 4;
    good.looks_failed = 6;
    good.last_look_us = 850;
    good.longest_look_us = 12'500;
    good.commands = 14;
    good.commands_failed = 2;
    good.inventory_changes = 1;
    good.unseen = {{"Ethernet12:3", "orchagent has not registered it"}, {"Ethernet12:4", "syncd writes no counters"}};
    good.notes = {"Ethernet0: drop is not possible, forward instead"};

    control::DeviceReport hung;
    hung.name = "sw2";
    hung.driver = "twin:fabric.toml#sw2";
    hung.condition = control::DeviceReport::Condition::not_answering;
    hung.why = "a look has taken 2.100 s";
    hung.condition_ms = 100;

    status.devices = {good, hung};
    return status;
}

inline control::QueueReport queue(std::string port, watchdog::Phase phase, std::uint64_t detected)
{
    control::QueueReport report;
    report.device = "sw1";
    report.port = std::move(port);
    report.priority = std::uint8_t{3};
    report.policy = "tor";
    report.phase = phase;
    report.detected = detected;
    return report;
}

inline std::vector<control::QueueReport> some_queues()
{
    auto stormed = queue("Ethernet4", watchdog::Phase::mitigated, 4);
    stormed.restored = 3;
    stormed.tx_ok = 10;
    stormed.tx_drop = 1'234'567'890'123;
    stormed.rx_ok = 30;
    stormed.rx_drop = 40;
    stormed.in_storm_us = 12'300'000;
    stormed.longest_pause_us = 450'000;
    stormed.detect_interval = {290'000, 290'000, 300'000};
    stormed.restore_interval = {400'000, 400'000, std::nullopt};
    auto whole_port = queue("Ethernet8", watchdog::Phase::watching, 1);
    whole_port.priority.reset();
    return {stormed, queue("Ethernet5", watchdog::Phase::watching, 0), whole_port};
}

}  // namespace petrel::daemon
