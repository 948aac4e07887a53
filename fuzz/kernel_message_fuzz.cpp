// Any bytes from the kernel give values or an error. An order to set PFC reads back as it was written.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "device/linux/kernel_message.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel::device::linux_nic;
    petrel::fuzz::Input input{data, size};
    const auto sequence = input.take<std::uint32_t>();
    const auto datagram = std::as_bytes(std::span{data, size});
    const auto check = [](const auto& answer) {
        PETREL_ASSERT(!answer || *answer || !answer->error().what.empty(), "refused without a reason");
    };
    check(read_link(datagram, sequence));
    check(read_pfc(datagram, sequence));
    check(read_pfc_result(datagram, sequence));
    check(read_dcbx(datagram, sequence));
    check(read_family(datagram, sequence));
    check(read_link_reason(datagram, sequence));
    constexpr EthtoolFamily kEthtool{21, 9};
    read_changes(datagram, kEthtool, "eth0");
    read_changes(datagram, {}, "eth0");
    constexpr std::uint32_t kFirst = 1;
    check(read_dcbx(datagram, kFirst));
    check(read_family(datagram, kFirst));
    check(read_link_reason(datagram, kFirst));
    check(read_pause_counts(datagram, kFirst));
    check(read_control_counts(datagram, kFirst));
    check(read_link(datagram, kFirst));
    check(read_pfc(datagram, kFirst));
    check(read_pfc_counts(datagram, kFirst));
    check(read_pfc_result(datagram, kFirst));

    const Pfc pfc{input.take<std::uint8_t>(), input.take<std::uint8_t>(), (input.take<std::uint8_t>() & 1U) != 0,
                  input.take<std::uint16_t>()};
    const auto again = read_pfc(pfc_order(sequence, "eth0", pfc), sequence);
    PETREL_ASSERT(again && *again && **again == pfc, "what was written is read otherwise");

    const std::vector<std::uint64_t> values(size / 32);
    const auto counters = read_counter_block(datagram, values);
    PETREL_ASSERT(!counters || counters->size() == values.size(), "a counter got lost");
    return 0;
}
