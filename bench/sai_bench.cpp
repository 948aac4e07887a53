// One poll of a switch with 512 ports through a library's C interface, and the same calls alone. The difference is the
// cost of our code. The library is that of the tests, which answers from memory.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "base/assert.hpp"
#include "benches.hpp"
#include "device/manual_clock.hpp"
#include "device/sai/sai_device.hpp"
#include "measure.hpp"

namespace petrel::bench {

namespace {

constexpr std::uint32_t kSwitchPorts = 512;
constexpr std::uint32_t kQueues = kSwitchPorts * kPriorities;
constexpr std::size_t kPortCounters = 4;  // of each priority

// The calls of a poll, with ids found in the same way as the device finds them.
class BareCalls {
public:
    BareCalls()
    {
        void* library = ::dlopen(PETREL_BENCH_LIBSAI, RTLD_NOW | RTLD_NOLOAD);
        auto* query = reinterpret_cast<sai::QueryApi*>(::dlsym(library, "sai_api_query"));
        query(sai::Api::port, table(&ports_));
        query(sai::Api::queue, table(&queues_));
        query(sai::Api::buffer, table(&buffers_));
        const sai::SwitchApi* switches = nullptr;
        query(sai::Api::switch_, table(&switches));
        constexpr sai::ObjectId kSwitchId = 0x21;
        list(switches->get, kSwitchId, sai::switch_attr::port_list, kSwitchPorts, port_ids_);
        for (const auto port : port_ids_) {
            list(ports_->get, port, sai::port_attr::qos_queue_list, kPriorities, queue_ids_);
            list(ports_->get, port, sai::port_attr::ingress_priority_group_list, kPriorities, group_ids_);
        }
        ::dlclose(library);
        PETREL_ASSERT(queue_ids_.size() == kQueues && group_ids_.size() == kQueues, "{} queues", queue_ids_.size());
    }

    void poll() const
    {
        std::array<std::uint64_t, kPortCounters * kPriorities> counters{};
        for (std::size_t p = 0; p != port_ids_.size(); ++p) {
            std::array<sai::Attribute, 2> link{{{sai::port_attr::oper_status, {}}, {sai::port_attr::speed, {}}}};
            ports_->get(port_ids_[p], link.size(), link.data());
            std::array<sai::StatId, kPortCounters * kPriorities> ids{};
            for (unsigned n = 0; n != kPriorities; ++n) {
                const auto first = kPortCounters * n;
                ids[first] = sai::port_stat::pfc_rx_pause_duration_us(n);
                ids[first + 1] = sai::port_stat::pfc_rx_pkts(n);
                ids[first + 2] = sai::port_stat::pfc_tx_pkts(n);
                ids[first + 3] = sai::port_stat::pfc_tx_pause_duration_us(n);
            }
            ports_->get_stats(port_ids_[p], ids.size(), ids.data(), counters.data());
        }
        for (std::size_t q = 0; q != queue_ids_.size(); ++q) {
            std::array<sai::Attribute, 2> state{
                {{sai::queue_attr::pfc_continuous_deadlock_state, {}}, {sai::queue_attr::pause_status, {}}}};
            queues_->get(queue_ids_[q], state.size(), state.data());
            constexpr std::array<sai::StatId, 4> kOfQueue{sai::queue_stat::packets, sai::queue_stat::bytes,
                                                          sai::queue_stat::dropped_packets,
                                                          sai::queue_stat::curr_occupancy_bytes};
            queues_->get_stats(queue_ids_[q], kOfQueue.size(), kOfQueue.data(), counters.data());
            constexpr std::array<sai::StatId, 2> kOfGroup{sai::group_stat::packets, sai::group_stat::dropped_packets};
            buffers_->get_group_stats(group_ids_[q], kOfGroup.size(), kOfGroup.data(), counters.data());
        }
        keep(counters[0]);
    }

private:
    template <class Table>
    static void** table(const Table** place)
    {
        return reinterpret_cast<void**>(const_cast<Table**>(place));
    }

    static void list(sai::GetAttributes get, sai::ObjectId object, sai::AttrId id, std::uint32_t count,
                     std::vector<sai::ObjectId>& into)
    {
        into.resize(into.size() + count);
        sai::Attribute attribute{id, {}};
        attribute.value.objlist = {count, &*into.end() - count};
        const auto status = get(object, 1, &attribute);
        PETREL_ASSERT(status == sai::status::success, "status {}", status);
    }

    const sai::PortApi* ports_{};
    const sai::QueueApi* queues_{};
    const sai::BufferApi* buffers_{};
    std::vector<sai::ObjectId> port_ids_;
    std::vector<sai::ObjectId> queue_ids_;
    std::vector<sai::ObjectId> group_ids_;
};

void measure_poll(Report& report, const std::string& version)
{
    device::ManualClock clock;
    const device::sai::Profile profile{{"bad.ports", std::to_string(kSwitchPorts)}, {"bad.version", version}};
    auto device =
        device::sai::SaiDevice::open({PETREL_BENCH_LIBSAI, profile, std::nullopt, {}}, DeviceId{0}, clock, {});
    PETREL_ASSERT(device, "{}", device.error().what);
    watchdog::Intake intake{(*device)->inventory(), (*device)->capabilities()};
    const BareCalls bare;
    const auto timings = in_turns({[&] {
                                       intake.begin();
                                       clock.advance(std::chrono::milliseconds{50});
                                       keep((*device)->look({}, intake).has_value());
                                   },
                                   [&] { bare.poll(); }});
    report.metric("ns_per_queue", timings[0].least_ns / kQueues);
    report.metric("bare_calls_ns_per_queue", timings[1].least_ns / kQueues);
    report.metric("ratio_to_bare_calls", timings[0].least_ns / timings[1].least_ns);
    report.metric("poll_us", timings[0].least_ns / 1000);
}

}  // namespace

std::vector<Bench> sai_benches()
{
    return {{fmt::format("sai/poll/{}/bulk", kQueues), [](Report& report) { measure_poll(report, "11801"); }},
            {fmt::format("sai/poll/{}/one-by-one", kQueues), [](Report& report) { measure_poll(report, "11303"); }}};
}

}  // namespace petrel::bench
