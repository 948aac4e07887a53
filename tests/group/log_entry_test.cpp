#include "codec/group/log_entry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petrel::codec {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;

manager::TakenMessage message(std::uint64_t seq)
{
    manager::TakenMessage taken;
    taken.message = {.source = {"leaf3", fabric::Channel::agent},
                     .position = {2, seq},
                     .kind = fabric::Message::Kind::error_opened,
                     .port = "Ethernet20",
                     .priority = Priority{3},
                     .cause = link::kStormMitigated,
                     .at = WallTime{5s},
                     .observed_at = WallTime{6s},
                     .text = "storm_detected, \"drop\" é"};
    taken.event =
        fmt::format(R"({{"seq":{},"time_us":5,"event":"storm_detected","device":"leaf3","port":"Ethernet20"}})", seq);
    taken.cursor = static_cast<std::int64_t>(100 + seq);
    return taken;
}

LogEntry whole_entry()
{
    LogEntry entry{7, "0123", true, {}};
    auto& batch = entry.batch;
    batch.now = WallTime{9s};
    batch.messages = {message(1), message(2), message(3)};
    batch.messages[2].message.source.channel = fabric::Channel::manager;
    batch.messages[1].message.source.channel = fabric::Channel::log;
    batch.messages[1].message.priority.reset();
    batch.heard = {{"leaf3", WallTime{1s}}, {"leaf4", WallTime{2s}}};
    batch.agents = {{"on-leaf3", "boot", "", WallTime{3s}}};
    batch.devices = {
        {"on-leaf3",
         {"leaf3",
          "watching",
          {{.port = "Ethernet0", .neighbour = {{"gpu", "eth2"}}, .link = fabric::LinkState::up, .queues = {}}}}}};
    batch.samples = {{{"leaf3", "Ethernet0"}, Priority{3}, WallTime{4s}, 1, 2, UINT64_MAX}};
    batch.audit = {{WallTime{5s}, "alice", "command", "release-all", "ordered"}};
    batch.rollouts = {{8,
                       WallTime{5s},
                       "alice",
                       "release-all",
                       R"({"command":"release_all"})",
                       false,
                       {{"a", "b"}, 1, 10, 30s},
                       5s,
                       fleet::Rollout::State::stopped,
                       "an alarm"}};
    batch.commands = {{9, 8, "a", WallTime{10s}, fleet::CommandState::done, R"({"ok":true})", WallTime{11s}}};
    batch.invitations = {{"digest", "a", WallTime{12s}, "key"}};
    batch.revocations = {{"b", WallTime{13s}}};
    return entry;
}

TEST(LogEntry, IsTheSameAfterWritingAndReading)
{
    const auto entry = whole_entry();
    const auto texts = log_entries(entry);
    ASSERT_THAT(texts, SizeIs(1));
    const auto read = read_log_entry(texts[0]);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, entry);
}

TEST(LogEntry, ALargeOneBecomesSeveralWithNumbersThatFollow)
{
    LogEntry entry{1, "0123", true, {}};
    for (std::uint64_t seq = 1; seq != 20'000; ++seq) {
        entry.batch.messages.push_back(message(seq));
    }
    const auto texts = log_entries(entry);
    ASSERT_GT(texts.size(), 2U);
    manager::Batch all;
    std::uint64_t number = 0;
    for (const auto& text : texts) {
        EXPECT_LT(text.size(), kFullEntryBytes + 1000);
        const auto read = read_log_entry(text).value();
        EXPECT_EQ(read.number, ++number);
        EXPECT_EQ(read.begins_with_file, number == 1);
        all.messages.insert(all.messages.end(), read.batch.messages.begin(), read.batch.messages.end());
    }
    EXPECT_EQ(all.messages, entry.batch.messages);
}

TEST(LogEntry, IsRefusedWhole)
{
    const auto good = log_entries(whole_entry())[0];
    for (std::size_t size = 0; size < good.size(); ++size) {
        const auto part = read_log_entry(good.substr(0, size));
        if (size == 0 || good[size - 1] != '\n') {
            EXPECT_FALSE(part) << size;
        }
    }
    const auto refused = [](const std::string& text) { return read_log_entry(text).error(); };
    const std::string head = "[\"entry\",1,7,\"x\",0,false]\n";
    ASSERT_TRUE(read_log_entry(head));
    EXPECT_EQ(refused("[\"entry\",2,7,\"x\",0,false]\n").kind, ErrorKind::unsupported);
    EXPECT_EQ(refused(head + "[\"moon\",1]\n").kind, ErrorKind::unsupported);
    EXPECT_EQ(refused(head + "[\"message\",\"leaf3\",\"moon\",0,1,1,4,\"\",null,0,0,0,\"\"]\n{}\n").kind,
              ErrorKind::unsupported);
    EXPECT_THAT(refused(head + "[\"heard\",\"leaf3\"]\n").what, HasSubstr("a record 'heard' with 1 fields"));
    EXPECT_THAT(refused(head + "[\"heard\",\"leaf3\",1,2]\n").what, HasSubstr("a record 'heard' with 3 fields"));
    EXPECT_THAT(refused(head + "[\"heard\",\"leaf3\",\"noon\"]\n").what,
                HasSubstr("record 'heard', field 2: \"noon\": allowed a whole number"));
    EXPECT_THAT(refused(head + "{}\n").what, HasSubstr("'{}' is no record"));
    EXPECT_THAT(refused(head + "[\"device\",\"a\"]\nnothing\n").what, HasSubstr("not a JSON object"));
}

TEST(LeaderRecord, IsTheSameAfterWritingAndReadingAndAnythingElseNamesNobody)
{
    const LeaderRecord record{"0123", "https://10.0.0.5:7650"};
    EXPECT_EQ(read_leader_record(leader_record(record)), record);
    for (const auto* text : {"", "{}", "[]", "7", R"({"manager":7})", "\xff"}) {
        EXPECT_EQ(read_leader_record(text), LeaderRecord{}) << text;
    }
}

}  // namespace
}  // namespace petrel::codec
