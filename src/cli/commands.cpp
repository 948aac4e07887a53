#include "cli/commands.hpp"

#include "cli/agent/agent_commands.hpp"
#include "cli/agent/watch_command.hpp"
#include "cli/arguments.hpp"
#include "cli/links_command.hpp"
#include "drivers/drivers.hpp"
#include "drivers/sonic_nos.hpp"
#include "enrolment/enrolment.hpp"
#include "http_client/client.hpp"

namespace petrel::cli {
namespace {

using Request = control::ControlRequest::Command;
using LabFiles = LabFilesOptions::What;

constexpr auto kExamples = R"(Examples:
  petrel demo                                       see a storm being detected, contained and released
  petrel replay trace.csv --policy sonic            what the watchdog makes of a recorded trace
  petrel lab run scenarios/incast.toml              a fabric in simulated time, with its watchdogs
  petrel help replay                                everything about a command

SONiC's tools, also where SONiC has none (docs/pfcwd.md):
  petrel pfcwd show stats                           the PFC watchdog: start, stop, show, interval ...
  petrel mmuconfig -l                               buffers and dynamic thresholds
  petrel pfc show priority                          which priorities of a port have PFC
  petrel pfcstat                                    PFC frames by port and priority

)";

constexpr auto kNoExamples = "";

constexpr auto kReplayExamples = R"(Examples:
  petrel replay storm.csv --policy sonic
  petrel replay storm.csv --policy sonic --detect-ms 200 --action alert --json
  petrel replay storm.csv --policy sonic --policy sonic:detect-ms=200 --policy progress
  petrel replay storm.csv --policy sonic --policy sai --format html -o storm.html
  petrel replay storm.csv --config petrel.toml --check
  zcat storm.csv.gz | petrel replay - --policy rdma-switch --host-ports Ethernet0,Ethernet4

TRACE is CSV with a header (time_us,port,queue and what the device can report) or JSON lines with the same names.
Commands are taken as applied at once, and time is what the trace says. The exit code is 0 whether or not there is
a storm in the trace; with --check it is 1 if any policy found one.
)";

constexpr auto kImportExamples = R"(Examples:
  petrel import --from prometheus range.json -o storm.csv
  petrel import --from sonic-db counters-2026-03-09T*.json -o storm.csv
  petrel import --from ethtool --port eth0 eth0.txt -o nic.csv
  petrel import --from csv --map names.toml site.csv -o storm.csv

Notes on stderr state how fine the recording is. How to record, and mapping files: docs/import.md
)";

constexpr auto kRecordExamples = R"(Examples:
  petrel record --device sonic:local -o storm.csv
  petrel record --device linux:eth0 --every-ms 20 --looks 500 -o nic.csv
  petrel record --device linux:all | petrel replay - --policy rdma-nic

Ctrl-C ends it. The file is a trace at any time. An agent may watch the same device, unless its driver forbids that.
)";

constexpr auto kLabExamples = R"(Examples:
  petrel lab run scenarios/nic-storm-leaf-spine.toml
  petrel lab run scenarios/*.toml                                many at once, on all cores
  petrel lab run scenarios/incast.toml --repeat 20 --json
  petrel lab run scenarios/deadlock-ring.toml --until 50ms --threads 2
  petrel lab run scenarios/mmu-alpha.toml --all --report /tmp/report
  petrel lab run scenarios/incast.toml --capture s0:Ethernet0 --pcap captures
  petrel lab run scenarios/nic-storm-leaf-spine.toml --pace 0.2
  petrel lab explain scenarios/incast.toml                       a description

FILE is a scenario in TOML: fabric, traffic, faults, watchdogs, and what is expected of them. The same file and seed give
the same digest, whatever the number of threads. With --json every event is one line, and the last line is the summary;
of several runs there is the summary alone. The exit code is 5 if anything was not as expected.
)";

constexpr auto kSwarmExamples = R"(Examples:
  petrel lab swarm --runs 1000
  petrel lab swarm --minutes 10 --seed 5000
  petrel lab swarm --seed 17 --runs 1               one run again
  petrel lab swarm swarm-17.toml                    a scenario that was shrunk, or any other

Run number i is drawn from the seed plus i: fabric, traffic, policies, storms, and faults of links, devices, disks and
agents. The oracles that judge it are listed in docs/verification.md. The first run that violates one is shrunk to a small
scenario, which `petrel lab run` runs, too. The exit code is 5 if an oracle was violated.
)";

constexpr auto kDemoExamples = R"(Examples:
  petrel demo                the story in slow motion; without a terminal, as fast as possible
  petrel demo --fast         as fast as possible
  petrel demo --json         the watchdog's events alone, one JSON object a line
)";

constexpr auto kPoliciesExamples = R"(Examples:
  petrel policies
  petrel policies rdma-switch
  petrel policies --json | jq '.policies[].name'
)";

constexpr auto kLinkExamples = R"(Examples:
  petrel link explain 36                            what a reason means, who sets it, what to do
  petrel link decode --from ethtool 0.1             another vendor's code in the same terms
  petrel link import --from opasaquery ports.txt    what a tool printed, explained for both ends
  petrel link play story.jsonl                      events over one link: the registers of both ends and the manager's log
)";

constexpr auto kLinkPlayExamples = R"(Examples:
  petrel link play story.jsonl
  petrel link play - --json < story.jsonl

A script has one JSON object a line, e.g. {"do":"down","at":"A","reason":39}, {"do":"up"}, {"do":"sweep","time":10},
{"do":"read"}, {"do":"log"}. A is a switch port, B the NIC port it is connected to; both begin Active, with all registers 0.
"read" and "log" answer with a line of JSON; a script that has neither is answered with its final state. An event that cannot
happen in the present state is ignored, and reported on stderr. All events: docs/link-down.md.
)";

constexpr auto kLinkDecodeExamples = R"(Examples:
  petrel link decode --from sai 0x21                several bits: the lowest layer first
  petrel link decode --from hpe cass_origin:13      a list other than the vendor's first
  petrel link decode --from sonic Remote-fault
)";

constexpr auto kLinkExplainExamples = R"(Examples:
  petrel link explain 36
  petrel link explain neighbor-unknown
  petrel link explain 0x0108                        a cause that has no reason code: PHY_HIGH_BER
)";

constexpr auto kLinkImportExamples = R"(Examples:
  opasaquery -o portinfo -vvv | petrel link import --from opasaquery -
  ethtool eth0 | petrel link import --from ethtool - --json
)";

constexpr auto kAgentExamples = R"(Examples:
  petrel agent --config /etc/petrel/agent.toml
  petrel agent --device twin:scenarios/agent/storm.toml --state-dir state --control-socket ./petrel.sock

SIGHUP reloads the configuration, SIGTERM and SIGINT end the agent; mitigated queues are then restored, or held if
the configuration says so. While it runs: petrel status, queues, events, explain, mitigate, release, hold, reload.
)";

constexpr auto kHandBackExamples = R"(Examples:
  petrel hand-back
  petrel hand-back --config /etc/petrel/agent.toml
  petrel hand-back --device sonic:local

The unit of the agent runs it whenever the agent has ended (ExecStopPost=). It does nothing to a device that a live
agent watches, and nothing where nothing was taken over. The exit code is 0 unless something could not be put back.
)";

constexpr auto kDeviceExamples = R"(Examples:
  petrel device check "exec:/usr/lib/petrel/switch.py --host 10.0.0.1"
  petrel device check exec:/usr/lib/petrel/switch.py --treat Ethernet4:3
  petrel device check slingshot:exec:/usr/lib/petrel/rossw --treat Ethernet0

Without --treat the helper is only asked to read. With it, each of its treatments is applied to that queue or to its
port, and restored: choose a queue whose traffic may be disturbed. The exit code is 5 if the helper breaks a rule.
)";

constexpr auto kWireExamples = R"(Examples:
  petrel wire count eth0 --for-ms 5000
  petrel wire send eth0 --priority 3 --priority 4 --count 1000
  petrel wire send eth0 --priority 3 --quanta 0     resume
  petrel wire send eth0 --port                      the whole port (802.3x)

For links of the lab, such as veth pairs between network namespaces: most NICs handle pause frames themselves and show
none. A Linux bridge forwards none. It needs CAP_NET_RAW.
)";

constexpr auto kHostExamples = R"(Examples:
  petrel host doctor                                what can be observed and done at each network interface
  petrel host agent                                 all NICs with a known driver, with the policy rdma-nic
  petrel host agent --device linux:eth0 --device linux:eth1
  petrel host repaired eth0 --note "new cable"      turns its PFC and pause on again, as they were

With an agent's file, its devices and policies apply. docs/host.md
)";

constexpr auto kPortsExamples = R"(Examples:
  petrel ports --errors                             what is paused for too long now, and since when
  petrel ports --device leaf3 --manager https://manager.example:7650 --token-file token

It asks a running `petrel manager`. A port of a device that does not report is shown as it was last reported, with the
time since when it is unknown. docs/manager.md
)";

constexpr auto kManagerExamples = R"(Examples:
  petrel manager                                    listens at 127.0.0.1:7650
  petrel manager --store manager.db --syslog udp:127.0.0.1:5514
  petrel manager --store manager.db --cables cables.toml
  petrel manager --store manager.db --listen 10.0.0.5:7650 --tls-cert cert.pem --tls-key key.pem --tokens tokens.toml
  curl -s localhost:7650/api/v1/ports?errors=true

Agents report to it; it shows the ports in error, the links with the reasons of both ends, and the storms of all devices.
SIGTERM and SIGINT end it. docs/manager.md
)";

constexpr auto kEnrolExamples = R"(Examples:
  petrel invite leaf3 --manager https://fabric:7650 --token-file operator.token > invitation
  petrel enrol https://fabric:7650 --name leaf3 --token-file invitation
  petrel invite leaf3 --revoke --manager https://fabric:7650 --token-file operator.token

The key never leaves the machine of the agent. The token of an invitation works once. docs/manager.md
)";

std::vector<Command> all_commands()
{
    std::vector<Command> all{
        {"replay", kGeneral, "Run a recorded trace through the watchdog and show what it would have done.",
         kReplayExamples, replay_flags},
        {"import", kGeneral, "Make a trace for `petrel replay` from what other tools have recorded.", kImportExamples,
         import_flags},
        {"record", kGeneral, "Record the counters of a device as a trace; it only reads.", kRecordExamples,
         record_flags},
        {"lab", kGeneral, "Run experiments on the twin of a fabric.", kLabExamples, nullptr},
        {"lab run", kGeneral, "Run scenarios and show what happened, and whether it was as expected.", kNoExamples,
         lab_run_flags},
        {"lab list", kGeneral, "The scenarios in a folder, with their parameters.", kNoExamples,
         lab_files_flags(LabFiles::list)},
        {"lab check", kGeneral, "Read scenarios and report every problem; run nothing.", kNoExamples,
         lab_files_flags(LabFiles::check)},
        {"lab explain", kGeneral, "Describe a scenario: what it contains, and what happens when.", kNoExamples,
         lab_files_flags(LabFiles::explain)},
        {"lab table", kGeneral, "Compare policies on patterns: storms caught, latency, false actions.", kNoExamples,
         lab_table_flags},
        {"lab swarm", kGeneral, "Random fabrics, storms and faults, judged by laws that hold for every scenario.",
         kSwarmExamples, lab_swarm_flags},
        {"demo", kGeneral,
         "One network card freezes a small fabric: first unwatched, then detected, contained and released.",
         kDemoExamples, demo_flags},
        {"policies", kGeneral, "The presets, and every parameter with its default and range.", kPoliciesExamples,
         policies_flags},
        {"link", kGeneral, "Why links go down, on both ends.", kLinkExamples, nullptr},
        {"link play", kGeneral, "Play a script of events over one link and print registers and histories.",
         kLinkPlayExamples, link_play_flags},
        {"link explain", kGeneral, "What a reason means, who sets it, what to do.", kLinkExplainExamples,
         link_explain_flags},
        {"link decode", kGeneral, "Translate another vendor's code into these reasons.", kLinkDecodeExamples,
         link_decode_flags},
        {"link import", kGeneral, "Explain what another tool printed about links, for both ends.", kLinkImportExamples,
         link_import_flags},
        {"link codes", kGeneral, "All reasons.", kNoExamples, link_codes_flags},
        {"device", kGeneral, "Check a device that is not watched by an agent.", kDeviceExamples, nullptr},
        {"device check", kGeneral, "Check a helper program ([slingshot:]exec:PROGRAM) against the protocol.",
         kNoExamples, device_check_flags},
        {"wire", kGeneral, "Pause frames on a network interface of this machine, for links of the lab.", kWireExamples,
         nullptr},
        {"wire send", kGeneral, "Send pause frames.", kNoExamples, wire_send_flags},
        {"wire count", kGeneral, "Count the pause frames that arrive, by priority.", kNoExamples, wire_count_flags},
        {"agent", kGeneral, "Watch the queues of a switch until stopped: the service.", kAgentExamples, agent_flags},
        {"manager", kGeneral, "One view of all ports, links and storms, from the reports of all agents: the service.",
         kManagerExamples, manager_flags},
        {"ports", kGeneral, "The ports of a fabric as its manager sees them, with their errors and neighbours.",
         kPortsExamples, ports_flags},
        {"invite", kGeneral, "Allow an agent to get a certificate of the manager: prints a token that works once.",
         kEnrolExamples, invite_flags},
        {"enrol", kGeneral, "Get a certificate of the manager for the agent of this machine.", kEnrolExamples,
         enrol_flags},
        {"host", kGeneral, "The NICs of this machine: a NIC that receives nothing must not pause its switch.",
         kHostExamples, nullptr},
        {"host agent", kGeneral, "Watch the NICs of this machine until stopped: the service.", kHostExamples,
         host_agent_flags},
        {"host doctor", kGeneral, "What can be observed and done at each network interface, and what is missing.",
         kHostExamples, host_doctor_flags},
        {"host status", kGeneral, "The state of the running agent.", kHostExamples,
         control_flags(Request::status, {check_flag}, run_control)},
        {"host watch", kGeneral, "A live table of the running agent.", kHostExamples,
         control_flags(Request::status, {}, run_watch)},
        {"host repaired", kGeneral, "A latched NIC was repaired: put its PFC and pause back.", kHostExamples,
         control_flags(Request::repaired, {queue_flag, note_flag, fleet_order_flags}, run_control)},
        {"hand-back", kGeneral, "Put SONiC's own scripts back after an agent died; mitigations stay.",
         kHandBackExamples, hand_back_flags},
    };
    for (const auto& rows : {config_commands(), link_commands(show_links), running_agent_commands()}) {
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
}

}  // namespace

const Program& petrel_program()
{
    static constexpr Program kPetrel{
        .name = "petrel",
        .about = "Storm watch for lossless Ethernet fabrics.",
        .examples = kExamples,
        .commands = all_commands,
        .parts = {drivers::make_drivers, drivers::make_nos, drivers::with_one_address,
                  http_client::make_client_of_several, enrolment::renew},
    };
    return kPetrel;
}

}  // namespace petrel::cli
