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

}  // namespace
}  // namespace petrel::device::linux_nic
