#include "codec/slingshot/register_lines.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/complaint_text.hpp"
#include "codec/exec/exec_line.hpp"
#include "codec/exec/exec_request.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec {

namespace {

using device::slingshot::Port;
using device::slingshot::PortReading;
using device::slingshot::Register;
using exec_line::Part;
using Readings = std::vector<Result<PortReading>>;

constexpr std::string_view kSlingshot = "slingshot";
constexpr std::uint64_t kSmallestFrame = 64;  // a smaller maximum is a treatment

nlohmann::ordered_json register_request(std::uint64_t id, std::string_view call)
{
    return {{"id", id}, {"call", call}};
}

std::uint32_t number32(const Part& part, std::uint64_t most = exec_line::kMostNumber32, std::uint64_t least = 0)
{
    return static_cast<std::uint32_t>(part.number(most, least));
}

Port read_register_port(const Part& part)
{
    part.only({"name", "xname", "number", "speed_bps", "edge", "honours", "max_frame_size", "pcp_enable"});
    Port port;
    port.names = exec_line::read_port_names(part);
    port.speed.bps = part.get("speed_bps").number(exec_line::kMostSpeed);
    port.edge = part.get("edge").flag();
    if (const auto honours = part.find("honours")) {
        port.honours = number32(*honours);
    }
    port.usual.max_frame_size = number32(part.get("max_frame_size"), exec_line::kMostNumber32, kSmallestFrame);
    port.usual.pcp_enable = number32(part.get("pcp_enable"), 1);
    return port;
}

std::vector<Port> read_register_ports(const Part& list)
{
    std::vector<Port> ports;
    std::set<std::string> names;
    list.each(kMostExecPorts, [&](const Part& part) {
        ports.push_back(read_register_port(part));
        if (!names.insert(ports.back().names.name).second) {
            part.get("name").refuse("each name once");
        }
    });
    return ports;
}

PortReading read_port_reading(const Part& part)
{
    part.only({"port", "epoch", "pause_timeout", "max_frame_size", "pcp_enable", "frames_sent", "frames_discarded"});
    PortReading reading;
    reading.epoch = number32(part.get("epoch"));
    reading.pause_timeout = number32(part.get("pause_timeout"));
    reading.settings.max_frame_size = number32(part.get("max_frame_size"));
    reading.settings.pcp_enable = number32(part.get("pcp_enable"), 1);
    const auto count = [&](std::string_view key) {
        const auto value = part.find(key);
        return value ? std::optional{value->number(exec_line::kMostNumber)} : std::nullopt;
    };
    reading.frames_sent = count("frames_sent");
    reading.frames_discarded = count("frames_discarded");
    return reading;
}

Result<PortReading> read_port_or_reason(const Part& part)
{
    if (const auto why = part.find("unreadable")) {
        part.only({"port", "unreadable"});
        return tl::unexpected(Error{ErrorKind::unreachable, escaped(why->text(exec_line::kLongestText))});
    }
    return read_port_reading(part);
}

}  // namespace

std::string registers_hello(std::uint64_t id)
{
    auto json = register_request(id, "hello");
    json["protocol"] = kExecProtocol;
    json["registers"] = kSlingshot;
    return to_line(json);
}

std::string registers_read(std::uint64_t id, std::span<const std::string_view> ports)
{
    auto json = register_request(id, "read");
    json["ports"] = ports;
    return to_line(json);
}

std::string register_write(std::uint64_t id, std::string_view port, Register which, std::uint32_t value)
{
    auto json = register_request(id, "write");
    json["port"] = port;
    json["register"] = which == Register::max_frame_size ? "max_frame_size" : "pcp_enable";
    json["value"] = value;
    return to_line(json);
}

Result<RegistersHello> read_registers_hello(const ExecMessage& message)
{
    return message.tree().answer([](const Part& line) {
        exec_line::check_protocol(line);
        line.only({"id", "protocol", "registers", "name", "answer_within_ms", "reads_links", "ports"});
        if (const auto registers = line.get("registers"); registers.name() != kSlingshot) {
            registers.refuse(kSlingshot);
        }
        const auto links = line.find("reads_links");
        return RegistersHello{line.get("name").name(), exec_line::read_answer_within(line), links && links->flag(),
                              read_register_ports(line.get("ports"))};
    });
}

Result<Readings> read_registers(const ExecMessage& message, std::span<const std::string_view> ports)
{
    return message.tree().answer([&](const Part& line) {
        line.only({"id", "ports"});
        std::map<std::string, Result<PortReading>, std::less<>> read;
        line.get("ports").each(ports.size(), [&](const Part& part) {
            const auto given = part.get("port");
            if (std::ranges::find(ports, given.name()) == ports.end()) {
                given.refuse("a port of the request");
            }
            if (!read.emplace(given.name(), read_port_or_reason(part)).second) {
                given.refuse("each port once");
            }
        });
        Readings readings;
        for (const auto port : ports) {
            const auto found = read.find(port);
            readings.push_back(found != read.end() ? found->second
                                                   : tl::unexpected(Error{ErrorKind::unreachable,
                                                                          "the helper's answers leave it out"}));
        }
        return readings;
    });
}

}  // namespace petrel::codec
