// tshark, if it is installed, must read from our captures what we wrote into them.
#include <gtest/gtest.h>

#include "support/subprocess.hpp"
#include "support/tshark.hpp"
#include "wire/mac_control.hpp"
#include "wire/pcap.hpp"
#include "wire/roce.hpp"

namespace petrel {
namespace {

using namespace wire;
using Fields = std::vector<std::string>;

constexpr std::uint32_t kSnapLength = 128;

class Tshark : public testing::Test {
protected:
    void SetUp() override
    {
        if (test::tshark().empty()) {
            GTEST_SKIP() << "no tshark in PATH (Debian package tshark)";
        }
        append_pcap_header(capture_, kSnapLength);
    }

    void add(std::chrono::nanoseconds at, std::span<const std::byte> bytes, std::uint32_t frame_bytes)
    {
        append_pcap_record(capture_, at, bytes, frame_bytes);
    }
    void add(const RoceFrame& frame)
    {
        const auto shown = capture(frame, kSnapLength);
        add({}, shown.bytes, shown.frame_bytes);
    }
    void add(const PauseFrame& frame) { add({}, build(frame), kPauseFrameBytes); }

    // One line per frame, with its fields separated by commas.
    std::string see(const Fields& fields) const
    {
        test::Invocation call{
            .program = test::tshark(),
            .arguments = {"-n", "-r", "-", "-T", "fields", "-E", "separator=,", "-o", "ip.check_checksum:TRUE"},
            .input = {reinterpret_cast<const char*>(capture_.data()), capture_.size()}};
        for (const auto& field : fields) {
            call.arguments.insert(call.arguments.end(), {"-e", field});
        }
        const auto ended = test::run(call);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    }

private:
    Bytes capture_;
};

TEST_F(Tshark, SeesPausesOfClassesAndOfThePort)
{
    add(PauseFrame{mac_of(7), ClassPause{0x18, {0, 0, 0, 65'535, 300, 0, 0, 0}}});
    add(PauseFrame{mac_of(8), PortPause{1'000}});
    EXPECT_EQ(see({"eth.src", "macc.opcode", "macc.cbfc.enbv", "macc.cbfc.pause_time.c3", "macc.cbfc.pause_time.c4",
                   "macc.cbfc.pause_time.c5", "macc.pause_time", "frame.len", "_ws.malformed"}),
              "02:00:00:00:00:07,0x0101,0x0018,65535,300,0,,60,\n"
              "02:00:00:00:00:08,0x0001,,,,,1000,60,\n");
}

TEST_F(Tshark, SeesRoce)
{
    add({.from = 5, .to = 300, .flow = 4'711, .seq = 77, .frame_bytes = 1048, .dscp = 26, .ecn = 1});
    add({.kind = RoceFrame::Kind::ack, .from = 300, .to = 5, .flow = 4'711, .seq = 77, .frame_bytes = 64});
    add({.kind = RoceFrame::Kind::nak, .from = 300, .to = 5, .flow = 4'711, .seq = 78, .frame_bytes = 64, .pcp = 3});
    add({.kind = RoceFrame::Kind::cnp, .from = 300, .to = 5, .flow = 4'711, .frame_bytes = 64});
    EXPECT_EQ(see({"ip.src", "ip.dst", "ip.checksum.status", "ip.dsfield.dscp", "ip.dsfield.ecn", "vlan.priority",
                   "infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn", "infiniband.aeth.syndrome",
                   "frame.len", "_ws.malformed"}),
              "10.0.0.5,10.0.1.44,1,26,1,,4,0x001267,77,,1044,\n"
              "10.0.1.44,10.0.0.5,1,0,0,,17,0x001267,77,31,62,\n"
              "10.0.1.44,10.0.0.5,1,0,0,3,17,0x001267,78,96,66,\n"
              "10.0.1.44,10.0.0.5,1,0,0,,129,0x001267,0,,74,\n");
}

TEST_F(Tshark, SeesNanoseconds)
{
    const auto pause = build({mac_of(7), PortPause{1}});
    add(std::chrono::nanoseconds{3'000'000'042}, pause, kPauseFrameBytes);
    EXPECT_EQ(see({"frame.time_epoch"}), "3.000000042\n");
}

}  // namespace
}  // namespace petrel
