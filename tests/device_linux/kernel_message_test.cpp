#include "device/linux/kernel_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace petrel::device::linux_nic {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kSequence = 7;

Bytes bytes(std::initializer_list<int> values)
{
    Bytes all;
    std::ranges::transform(values, std::back_inserter(all), [](int value) { return static_cast<std::byte>(value); });
    return all;
}

// An answer with the kernel's error number.
Bytes refusal(int number)
{
    Bytes message(36);
    const std::int32_t code = -number;
    std::memcpy(message.data(), bytes({36, 0, 0, 0, 2, 0, 0, 0, kSequence, 0, 0, 0, 0, 0, 0, 0}).data(), 16);
    std::memcpy(message.data() + 16, &code, sizeof code);
    return message;
}

// The answer to an order: the driver's error in one byte.
Bytes result_of_order(int number)
{
    return bytes({28, 0,  0,  0,         79,
                  0,  0,  0,  kSequence, 0,
                  0,  0,  0,  0,         0,
                  0,              //
                  0,  20, 0,  0,  //
                  5,  0,  13, 0,         number & 0xff,
                  0,  0,  0});
}

// The bytes are those of a little-endian machine.
TEST(KernelMessage, RequestsPfcOfAnInterface)
{
    EXPECT_EQ(pfc_request(kSequence, "eth0"), bytes({32, 0,  0, 0, 78,  0,   1,   0,   7, 0, 0, 0, 0, 0, 0, 0,  //
                                                     0,  21, 0, 0,                                              //
                                                     9,  0,  1, 0, 'e', 't', 'h', '0', 0, 0, 0, 0}));
}

TEST(KernelMessage, OrdersPfcWithTheValuesOfTheRead)
{
    const Pfc pfc{0b0000'1000, 8, true, 0x1234};
    const auto order = pfc_order(kSequence, "eth0", pfc);
    ASSERT_EQ(order.size(), 32U + 4 + 4 + 136);
    EXPECT_EQ(order[4], std::byte{79});
    EXPECT_EQ(order[17], std::byte{20});
    const auto read = read_pfc(order, kSequence);
    ASSERT_TRUE(read && *read);
    EXPECT_EQ(**read, pfc);
}

// The last 128 bytes of ieee_pfc: eight numbers of frames that were sent, eight of those that were received.
TEST(KernelMessage, ReadsPfcFramesOfEachPriority)
{
    auto answer = pfc_order(kSequence, "eth0", {8, 8, false, 0});
    const auto counts = answer.size() - 128;
    answer[counts + 8 * 3] = std::byte{5};
    answer[counts + 8 * 15 + 1] = std::byte{1};
    PfcCounts expected;
    expected.sent[3] = 5;
    expected.received[7] = 256;
    EXPECT_EQ(**read_pfc_counts(answer, kSequence), expected);
    EXPECT_EQ((*read_pfc(answer, kSequence))->enabled, 8);
}

TEST(KernelMessage, LeavesAnswersToOtherRequestsAlone)
{
    const auto order = pfc_order(kSequence, "eth0", {});
    EXPECT_FALSE(read_pfc(order, kSequence + 1));
    EXPECT_FALSE(read_pfc({}, kSequence));
    auto both = pfc_order(kSequence - 1, "eth0", {1, 8, false, 0});
    const auto second = pfc_order(kSequence, "eth0", {2, 8, false, 0});
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_EQ((*read_pfc(both, kSequence))->enabled, 2);
}

TEST(KernelMessage, ReportsRefusalsByTheirKind)
{
    EXPECT_EQ(read_pfc(refusal(EOPNOTSUPP), kSequence)->error().kind, ErrorKind::unsupported);
    EXPECT_EQ(read_pfc(refusal(ENODEV), kSequence)->error().kind, ErrorKind::unreachable);
    const auto denied = read_pfc_result(refusal(EPERM), kSequence)->error();
    EXPECT_EQ(denied.kind, ErrorKind::denied);
    EXPECT_THAT(denied.what, HasSubstr("CAP_NET_ADMIN"));
}

TEST(KernelMessage, ReadsTheErrorOfADriverFromOneByte)
{
    EXPECT_TRUE(*read_pfc_result(result_of_order(0), kSequence));
    const auto managed = read_pfc_result(result_of_order(-EINVAL), kSequence)->error();
    EXPECT_EQ(managed.kind, ErrorKind::unsupported);
    EXPECT_THAT(managed.what, HasSubstr("DCBX"));
    EXPECT_EQ(read_pfc_result(result_of_order(-EOPNOTSUPP), kSequence)->error().kind, ErrorKind::unsupported);
}

TEST(KernelMessage, ADriverWithoutPfcDoesNotSupportIt)
{
    auto answer = pfc_order(kSequence, "eth0", {});
    answer[34] = std::byte{12};  // the nest has another type
    EXPECT_EQ(read_pfc(answer, kSequence)->error().kind, ErrorKind::unsupported);
}

TEST(KernelMessage, ReadsLinks)
{
    auto up = bytes({48, 0, 0,  0, 16, 0, 0, 0, 7, 0, 0,  0, 0, 0, 0, 0,  //
                     0,  0, 1,  0, 5,  0, 0, 0, 1, 0, 0,  0, 0, 0, 0, 0,  //
                     5,  0, 33, 0, 1,  0, 0, 0, 8, 0, 35, 0, 9, 0, 0, 0});
    EXPECT_EQ(**read_link(up, kSequence), (LinkState{5, 9, true}));
    up[36] = std::byte{0};
    EXPECT_FALSE((*read_link(up, kSequence))->up) << "no carrier";
    up[36] = std::byte{1};
    up[24] = std::byte{0};
    EXPECT_FALSE((*read_link(up, kSequence))->up) << "disabled";
}

TEST(KernelMessage, EveryCutMessageIsAnErrorOrNoAnswer)
{
    const auto whole = pfc_order(kSequence, "eth0", {8, 8, false, 0});
    for (std::size_t size = 0; size != whole.size(); ++size) {
        const auto read = read_pfc(std::span{whole}.first(size), kSequence);
        EXPECT_FALSE(read && *read) << size;
    }
}

TEST(KernelMessage, NamesCounters)
{
    Bytes names(64);
    std::memcpy(names.data(), "rx_packets", 10);
    std::memcpy(names.data() + 32, "a_name_that_fills_all_32_bytes__", 32);
    const std::vector<std::uint64_t> values{4, 5};
    const auto counters = read_counter_block(names, values);
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->at(0).name, "rx_packets");
    EXPECT_EQ(counters->at(1).name, "a_name_that_fills_all_32_bytes__");
    EXPECT_EQ(counters->at(1).value, 5U);
    EXPECT_FALSE(read_counter_block(std::span{names}.first(32), values));
}

// ---- DCBX, ethtool's netlink family, notifications

TEST(KernelMessage, ReadsTheDcbxMode)
{
    const auto answer = [](int mode) {
        return bytes({28, 0,  0, 0, 78, 0, 0,  0, kSequence, 0, 0, 0, 0, 0, 0, 0,  //
                      0,  22, 0, 0, 5,  0, 14, 0, mode,      0, 0, 0});
    };
    EXPECT_EQ(read_dcbx(answer(1 | 8), kSequence)->value(), (Dcbx{true, false, true}));
    EXPECT_EQ(read_dcbx(answer(2 | 4), kSequence)->value(), (Dcbx{false, true, false}));
    EXPECT_EQ(read_dcbx(answer(1), 8), std::nullopt) << "the answer to another request";
    EXPECT_EQ(read_dcbx(refusal(EOPNOTSUPP), kSequence)->error().kind, ErrorKind::unsupported);
}

TEST(KernelMessage, FindsEthtoolsFamilyAndItsGroup)
{
    const auto answer = bytes({72, 0, 0, 0, 16, 0, 0, 0, kSequence, 0, 0, 0, 0, 0, 0, 0,                    //
                               1,  2, 0, 0,                                                                 //
                               6,  0, 1, 0, 21, 0, 0, 0,                                                    //
                               44, 0, 7, 0,                                                                 //
                               20, 0, 1, 0, 8,  0, 2, 0, 5,         0, 0, 0, 8, 0, 1, 0, 'a', 'b', 'c', 0,  //
                               20, 0, 2, 0, 8,  0, 2, 0, 9,         0, 0, 0, 8, 0, 1, 0, 'x', 0,   0,   0});
    EXPECT_EQ(read_family(answer, kSequence)->value(), (EthtoolFamily{21, 0})) << "a family without the group";
    auto monitor = answer;
    constexpr std::string_view kName = "monitor";
    monitor.resize(76);
    monitor[0] = std::byte{76};
    monitor[28] = std::byte{48};
    monitor[52] = std::byte{24};
    monitor[64] = std::byte{12};
    std::memcpy(monitor.data() + 68, kName.data(), kName.size());
    EXPECT_EQ(read_family(monitor, kSequence)->value(), (EthtoolFamily{21, 9}));
    EXPECT_EQ(read_family(refusal(ENOENT), kSequence)->error().kind, ErrorKind::unreachable);
}

TEST(KernelMessage, RequestsTheReasonOfALink)
{
    EXPECT_EQ(link_reason_request(kSequence, {21, 9}, "eth0"),
              bytes({36, 0, 0, 0,    21, 0, 1, 0, kSequence, 0,   0,   0,   0, 0, 0, 0,  //
                     6,  1, 0, 0,                                                        //
                     16, 0, 1, 0x80, 9,  0, 2, 0, 'e',       't', 'h', '0', 0, 0, 0, 0}));
}

TEST(KernelMessage, ReadsTheReasonOfALink)
{
    const auto answer = bytes({36, 0, 0, 0, 21, 0, 0, 0, kSequence, 0, 0, 0, 0, 0, 0, 0,  //
                               6,  1, 0, 0, 5,  0, 5, 0, 3,         0, 0, 0, 5, 0, 6, 0, 1, 0, 0, 0});
    EXPECT_EQ(read_link_reason(answer, kSequence)->value(), (LinkReason{3, 1}));
    auto short_answer = answer;
    short_answer.resize(28);
    short_answer[0] = std::byte{28};
    EXPECT_EQ(read_link_reason(short_answer, kSequence)->value(), (LinkReason{3, 0}));
    short_answer.resize(20);
    short_answer[0] = std::byte{20};
    EXPECT_EQ(read_link_reason(short_answer, kSequence)->value(), std::nullopt);
}

// The value of fbnic's public output.
TEST(KernelMessage, ReadsTheStandardCounters)
{
    EXPECT_EQ(pause_counts_request(kSequence, {21, 9}, "eth0"),
              bytes({44, 0, 0, 0, 21, 0, 1, 0,    kSequence, 0, 0, 0, 0,   0,   0,   0,                //
                     21, 1, 0, 0, 24, 0, 1, 0x80, 9,         0, 2, 0, 'e', 't', 'h', '0', 0, 0, 0, 0,  //
                     8,  0, 3, 0, 4,  0, 0, 0}));
    const auto pause = bytes({60, 0, 0, 0, 21,  0, 0, 0,    kSequence, 0, 0, 0, 0, 0, 0, 0,  //
                              22, 1, 0, 0, 40,  0, 5, 0x80,                                  //
                              12, 0, 2, 0, 5,   0, 0, 0,    0,         0, 0, 0,              //
                              12, 0, 3, 0, 6,   0, 0, 0,    0,         0, 0, 0,              //
                              12, 0, 4, 0, 219, 0, 0, 0,    0,         0, 0, 0});
    EXPECT_EQ(read_pause_counts(pause, kSequence)->value(),
              (StandardCounts{
                  .pause_sent = 5, .pause_received = 6, .storms = 219, .control_sent = {}, .control_received = {}}));
    const auto control = bytes({64, 0, 0, 0,    21, 0, 0, 0,    kSequence, 0, 0, 0, 0, 0, 0, 0,  //
                                33, 1, 0, 0,    44, 0, 4, 0x80, 8,         0, 2, 0, 2, 0, 0, 0,  //
                                16, 0, 4, 0x80, 12, 0, 0, 0,    8,         0, 0, 0, 0, 0, 0, 0,  //
                                16, 0, 4, 0x80, 12, 0, 1, 0,    9,         0, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(read_control_counts(control, kSequence)->value(),
              (StandardCounts{
                  .pause_sent = {}, .pause_received = {}, .storms = {}, .control_sent = 8, .control_received = 9}));
    EXPECT_EQ(
        read_control_counts(bytes({20, 0, 0, 0, 21, 0, 0, 0, kSequence, 0, 0, 0, 0, 0, 0, 0, 33, 1, 0, 0}), kSequence)
            ->value(),
        StandardCounts{});
    EXPECT_EQ(read_pause_counts(refusal(EOPNOTSUPP), kSequence)->error().kind, ErrorKind::unsupported);
}

TEST(KernelMessage, ReadsNotificationsOfTheInterface)
{
    const auto link = bytes({44, 0, 0, 0, 16,  0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0,  //
                             0,  0, 0, 0, 3,   0,   0,   0,   0, 0, 0, 0, 0, 0, 0, 0,  //
                             9,  0, 3, 0, 'e', 't', 'h', '0', 0, 0, 0, 0});
    EXPECT_EQ(read_changes(link, {}, "eth0"), (Changes{true, true}));
    EXPECT_EQ(read_changes(link, {}, "eth1"), Changes{});
    EXPECT_EQ(read_changes(link, {}, "eth"), Changes{});

    auto pfc = pfc_order(0, "eth0", {});
    EXPECT_EQ(read_changes(pfc, {}, "eth0"), (Changes{false, true}));
    EXPECT_EQ(read_changes(pfc_request(0, "eth0"), {}, "eth0"), Changes{}) << "a request changes nothing";

    auto pause = link_reason_request(0, {21, 9}, "eth0");
    EXPECT_EQ(read_changes(pause, EthtoolFamily{21, 9}, "eth0"), Changes{}) << "not a notification of pause";
    pause[16] = std::byte{23};
    EXPECT_EQ(read_changes(pause, EthtoolFamily{21, 9}, "eth0"), (Changes{false, true}));
    EXPECT_EQ(read_changes(pause, EthtoolFamily{22, 9}, "eth0"), Changes{});
    EXPECT_EQ(read_changes(pause, {}, "eth0"), Changes{});

    pfc.insert(pfc.begin(), link.begin(), link.end());
    EXPECT_EQ(read_changes(pfc, {}, "eth0"), (Changes{true, true})) << "both in one datagram";
    pfc[0] = std::byte{3};
    EXPECT_EQ(read_changes(pfc, {}, "eth0"), Changes{}) << "a message that is shorter than its header";
}

}  // namespace
}  // namespace petrel::device::linux_nic
