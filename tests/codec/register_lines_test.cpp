// Lines of the protocol for Slingshot's registers: what Petrel sends, what it accepts, and what it says about each
// wrong line.
#include "codec/slingshot/register_lines.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petrel::codec {
namespace {

using namespace std::chrono_literals;
using device::slingshot::Register;
using testing::HasSubstr;

constexpr std::string_view kRegisterPort =
    R"({"name":"Ethernet0","xname":"x0c0r4j3p1","number":19,"speed_bps":200000000000,"edge":true,"honours":24,)"
    R"("max_frame_size":9216,"pcp_enable":1})";
constexpr std::array<std::string_view, 2> kRequested{"Ethernet0", "Ethernet1"};

Result<RegistersHello> registers_hello_of(std::string_view ports, std::string_view registers = "slingshot")
{
    return ExecMessage::parse(
               fmt::format(
                   R"({{"id":1,"protocol":1,"registers":"{}","name":"rossw0","answer_within_ms":500,"ports":{}}})",
                   registers, ports))
        .and_then(read_registers_hello);
}

std::string wrong_hello(std::string_view ports) { return registers_hello_of(ports).error().what; }

auto readings_of(std::string_view ports)
{
    return ExecMessage::parse(fmt::format(R"({{"id":2,"ports":{}}})", ports)).and_then([](const ExecMessage& message) {
        return read_registers(message, kRequested);
    });
}

TEST(RegisterLines, Requests)
{
    EXPECT_EQ(registers_hello(1), R"({"id":1,"call":"hello","protocol":1,"registers":"slingshot"})");
    EXPECT_EQ(registers_read(2, kRequested), R"({"id":2,"call":"read","ports":["Ethernet0","Ethernet1"]})");
    EXPECT_EQ(register_write(3, "Ethernet0", Register::max_frame_size, 63),
              R"({"id":3,"call":"write","port":"Ethernet0","register":"max_frame_size","value":63})");
    EXPECT_EQ(register_write(4, "Ethernet0", Register::pcp_enable, 0),
              R"({"id":4,"call":"write","port":"Ethernet0","register":"pcp_enable","value":0})");
}

TEST(RegisterLines, AHelloHasPortsWithTheirUsualSettings)
{
    const auto hello = registers_hello_of(fmt::format("[{}]", kRegisterPort));
    ASSERT_TRUE(hello) << hello.error().what;
    EXPECT_EQ(hello->name, "rossw0");
    EXPECT_EQ(hello->answer_within, 500ms);
    ASSERT_EQ(hello->ports.size(), 1U);
    const auto& port = hello->ports.front();
    EXPECT_EQ(port.names.name, "Ethernet0");
    EXPECT_EQ(port.names.xname, "x0c0r4j3p1");
    EXPECT_EQ(port.names.number, 19U);
    EXPECT_EQ(port.speed.bps, 200'000'000'000U);
    EXPECT_TRUE(port.edge);
    EXPECT_EQ(port.honours, 24U);
    EXPECT_EQ(port.usual, (device::slingshot::Settings{9'216, 1}));
}

TEST(RegisterLines, AWrongHelloIsDescribed)
{
    EXPECT_EQ(registers_hello_of("[]", "other").error().what, R"(registers is "other": allowed slingshot)");
    EXPECT_THAT(wrong_hello(fmt::format("[{0},{0}]", kRegisterPort)), HasSubstr(R"(ports[1].name is "Ethernet0")"));
    EXPECT_EQ(wrong_hello(R"([{"name":"a","speed_bps":0,"edge":true,"max_frame_size":63,"pcp_enable":1}])"),
              "ports[0].max_frame_size is 63: allowed a whole number, 64..4294967295");
    EXPECT_EQ(wrong_hello(R"([{"name":"a","speed_bps":0,"edge":true,"max_frame_size":64,"pcp_enable":2}])"),
              "ports[0].pcp_enable is 2: allowed a whole number, 0..1");
    EXPECT_EQ(wrong_hello(R"([{"name":"a","speed_bps":0,"edge":true,"max_frame_size":64}])"),
              "ports[0] has no pcp_enable: it is required");
    const auto exec =
        ExecMessage::parse(R"({"id":1,"protocol":1,"name":"a","ports":[]})").and_then(read_registers_hello);
    EXPECT_EQ(exec.error().what, "the line has no registers: it is required");
    const auto later = ExecMessage::parse(R"({"id":1,"protocol":2,"new":1})").and_then(read_registers_hello);
    EXPECT_EQ(later.error().what, "protocol is 2: allowed 1");
}

TEST(RegisterLines, ReadingsComeInTheOrderOfTheRequest)
{
    const auto readings =
        readings_of(R"([{"port":"Ethernet1","unreadable":"bus error"},{"port":"Ethernet0","epoch":7,"pause_timeout":8,)"
                    R"("max_frame_size":63,"pcp_enable":0,"frames_sent":18446744073709551615}])");
    ASSERT_TRUE(readings) << readings.error().what;
    const auto& first = readings->at(0);
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_EQ(first->epoch, 7U);
    EXPECT_EQ(first->pause_timeout, 8U);
    EXPECT_EQ(first->settings, (device::slingshot::Settings{63, 0}));
    EXPECT_EQ(first->frames_sent, 18'446'744'073'709'551'615U);
    EXPECT_EQ(first->frames_discarded, std::nullopt);
    EXPECT_EQ(readings->at(1).error().what, "bus error");
    EXPECT_EQ(readings_of("[]")->at(1).error().what, "the helper's answers leave it out");
}

TEST(RegisterLines, WrongReadingsAreDescribed)
{
    EXPECT_EQ(readings_of(R"([{"port":"Ethernet2","unreadable":"x"}])").error().what,
              R"(ports[0].port is "Ethernet2": allowed a port of the request)");
    EXPECT_EQ(
        readings_of(R"([{"port":"Ethernet0","unreadable":"x"},{"port":"Ethernet0","unreadable":"x"}])").error().what,
        R"(ports[1].port is "Ethernet0": allowed each port once)");
    EXPECT_EQ(readings_of(R"([{"port":"Ethernet0","epoch":1,"max_frame_size":1,"pcp_enable":0}])").error().what,
              "ports[0] has no pause_timeout: it is required");
    EXPECT_THAT(readings_of(R"([{"port":"Ethernet0","epoch":1,"pause_timeouts":0}])").error().what,
                HasSubstr("ports[0] has the key 'pause_timeouts': allowed a known key"));
    const auto refused =
        ExecMessage::parse(R"({"id":2,"error":"the driver is gone"})").and_then([](const ExecMessage& m) {
            return read_registers(m, kRequested);
        });
    EXPECT_EQ(refused.error().what, "the driver is gone");
}

}  // namespace
}  // namespace petrel::codec
