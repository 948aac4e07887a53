// Scripts of link events: every event is read, and all errors are reported at once with their line.
#include "codec/link_script.hpp"

#include <gtest/gtest.h>

#include "base/complaint_text.hpp"
#include "golden.hpp"
#include "mutate.hpp"

namespace petrel::codec {
namespace {

constexpr std::string_view kEveryEvent = R"(# every event once
{"do":"down","at":"A","reason":39,"delivered":false}
{"do":"down_both","a":41,"b":32,"a_delivered":true,"b_delivered":false}

{"do":"loss"}
{"do":"power_loss","at":"B"}
{"do":"up"}
{"do":"arm"}
{"do":"activate"}
{"do":"training_failure","at":"B"}
{"do":"receive","at":"A","reason":62}
{"do":"late_reason","at":"B","reason":33}
{"do":"write","at":"A","ldr":0,"nldr":1,"ack":7}
{"do":"write","at":"A","ldr":0,"nldr":0,"ack":null}
{"do":"error","at":"A","bit":31}
{"do":"mask","at":"A","value":"0x172000"}
{"do":"sweep","time":10}
{"do":"manager_restart"}
{"do":"read"}
{"do":"log"}
)";

template <class Event>
const Event& event_at(const std::vector<ScriptLine>& script, std::size_t index)
{
    return std::get<Event>(script.at(index).event);
}

TEST(LinkScript, EveryEventIsRead)
{
    const auto read = read_link_script(kEveryEvent, "s");
    ASSERT_TRUE(read);
    const auto& script = *read;
    ASSERT_EQ(script.size(), 18U);
    EXPECT_EQ(script[0].line, 2U);
    EXPECT_EQ(script[2].line, 5U) << "blank lines and comments count";
    EXPECT_EQ(script[2].word, "loss");
    EXPECT_EQ(event_at<link::Down>(script, 0).at, link::Side::a);
    EXPECT_EQ(event_at<link::Down>(script, 0).reason, 39);
    EXPECT_FALSE(event_at<link::Down>(script, 0).delivered);
    EXPECT_EQ(event_at<link::DownBoth>(script, 1).a, 41);
    EXPECT_EQ(event_at<link::DownBoth>(script, 1).b, 32);
    EXPECT_TRUE(event_at<link::DownBoth>(script, 1).a_delivered);
    EXPECT_FALSE(event_at<link::DownBoth>(script, 1).b_delivered);
    event_at<link::Loss>(script, 2);
    EXPECT_EQ(event_at<link::PowerLoss>(script, 3).at, link::Side::b);
    event_at<link::Up>(script, 4);
    event_at<link::Arm>(script, 5);
    event_at<link::Activate>(script, 6);
    EXPECT_EQ(event_at<link::TrainingFailure>(script, 7).at, link::Side::b);
    EXPECT_EQ(event_at<link::Receive>(script, 8).reason, 62);
    EXPECT_EQ(event_at<link::LateReason>(script, 9).reason, 33);
    EXPECT_EQ(event_at<link::Write>(script, 10).nldr, 1);
    EXPECT_EQ(event_at<link::Write>(script, 10).ack, 7U);
    EXPECT_EQ(event_at<link::Write>(script, 11).ack, std::nullopt);
    EXPECT_EQ(event_at<link::PortError>(script, 12).bit, 31);
    EXPECT_EQ(event_at<link::Mask>(script, 13).value, 0x172000U);
    EXPECT_EQ(event_at<link::Sweep>(script, 14).time, 10U);
    event_at<link::ManagerRestart>(script, 15);
    event_at<link::Read>(script, 16);
    event_at<link::Log>(script, 17);
}

TEST(LinkScript, ComplaintsNameTheirLine)
{
    const auto read = read_link_script(R"(not json
{"do":"dwon","at":"A","reason":39}
{"do":""}
{"do":7}
{}
[1]
{"do":"down","at":"C","reason":300}
{"do":"down","at":"A","reason":62}
{"do":"down","at":"A","reson":39}
{"do":"down","at":"A","reason":39,"delivered":"yes"}
{"do":"down_both","a":41,"b":-1}
{"do":"receive","at":"","reason":1.5}
{"do":"write","at":"A","ldr":0,"ack":"x"}
{"do":"error","at":"A","bit":32}
{"do":"mask","at":"A","value":"172000"}
{"do":"mask","at":"A","value":"0x1ffffffff"}
{"do":"sweep","time":1e999}
{"do":"sweep"}
{"do":"up","at":"A"}
{"do":"loss","do":"up"}
)",
                                       "s.jsonl");
    ASSERT_FALSE(read);
    std::string text;
    for (const auto& one : read.error()) {
        text += to_text(one) + '\n';
    }
    petrel::test::expect_golden(petrel::test::golden("codec/link/script_complaints.txt"), text);
}

TEST(LinkScript, DamagedScriptsAreReadOrRefused)
{
    std::mt19937_64 random{4};
    int read = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto script = read_link_script(mutated(std::string{kEveryEvent}, random), "s");
        read += script ? 1 : 0;
        ASSERT_TRUE(script || !script.error().empty());
    }
    EXPECT_GT(read, 0);
    EXPECT_LT(read, 20'000);
}

}  // namespace
}  // namespace petrel::codec
