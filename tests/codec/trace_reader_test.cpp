// How a trace is read: rows, samples, epochs and capabilities.
#include "codec/trace_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/csv_cell.hpp"
#include "golden.hpp"

namespace petrel::codec {
namespace {

using testing::ElementsAre;
using watchdog::Field;
using watchdog::PauseState;
using watchdog::Treatment;

device::Trace trace_of(std::string_view text)
{
    const auto trace = read_trace(text, "t");
    EXPECT_TRUE(trace.has_value()) << (trace ? "" : golden::lines(trace.error()));
    return trace.value_or(device::Trace{});
}

device::DeviceTrace read_one(std::string_view text)
{
    auto trace = trace_of(text);
    EXPECT_EQ(trace.devices.size(), 1U);
    trace.devices.resize(1);
    return trace.devices[0];
}

std::vector<std::string> row_names(const device::DeviceTrace& trace)
{
    std::vector<std::string> names;
    for (const auto& row : trace.inventory.rows) {
        names.push_back(to_string(trace.inventory, row.target));
    }
    return names;
}

std::vector<std::uint32_t> epochs(const device::DeviceTrace& trace, std::string_view row)
{
    std::vector<std::uint32_t> found;
    for (const auto& sample : trace.samples) {
        if (to_string(trace.inventory, trace.inventory.rows[sample.slot.value].target) == row) {
            found.push_back(sample.epoch);
        }
    }
    return found;
}

TEST(TraceReader, EveryColumnFindsItsField)
{
    const auto trace =
        read_one("sampled_us,occupancy_bytes,paused_now,pause_timeout,pause_tx_us,pause_tx,rx_drops,rx_packets,"
                 "tx_drops,tx_bytes,tx_packets,on2off,rx_pfc,rx_xon,rx_xoff,pause_us,pause_state,speed_bps,"
                 "link_up,device,queue,port,time_us\n"
                 "90,1,true,0x1F,2,3,4,5,6,7,8,9,10,11,12,13,paused_not_continuous,100000000000,1,sw1,3,"
                 "Ethernet0,100\n");
    EXPECT_EQ(trace.device, "sw1");
    EXPECT_THAT(trace.time_us, ElementsAre(100));
    const auto& sample = trace.samples.at(0);
    EXPECT_EQ(sample.read_at, instant_from_us(90));
    EXPECT_EQ(sample.known, (1U << watchdog::kFields) - 1);
    EXPECT_EQ(sample.pause_state, PauseState::not_continuous);
    EXPECT_TRUE(sample.paused_now);
    EXPECT_EQ(sample[Field::occupancy], 1U);
    EXPECT_EQ(sample[Field::pause_timeout], 0x1fU);
    EXPECT_EQ(sample[Field::pause_tx_us], 2U);
    EXPECT_EQ(sample[Field::pause_tx], 3U);
    EXPECT_EQ(sample[Field::rx_drops], 4U);
    EXPECT_EQ(sample[Field::rx_packets], 5U);
    EXPECT_EQ(sample[Field::tx_drops], 6U);
    EXPECT_EQ(sample[Field::tx_bytes], 7U);
    EXPECT_EQ(sample[Field::tx_packets], 8U);
    EXPECT_EQ(sample[Field::on2off], 9U);
    EXPECT_EQ(sample[Field::rx_pfc], 10U);
    EXPECT_EQ(sample[Field::rx_xon], 11U);
    EXPECT_EQ(sample[Field::rx_xoff], 12U);
    EXPECT_EQ(sample[Field::pause_us], 13U);
    EXPECT_EQ(trace.inventory.rows[0].speed.bps, 100'000'000'000U);
}

// Our traces have a single quote before a name that a spreadsheet would take for a formula.
TEST(TraceReader, NamesAreReadAsTheyWereBeforeTheyBecameCells)
{
    const std::vector<std::string> names{"=cmd|x", "+1+1",    "-a", "@b",    "'=c",
                                         "''-d",   "'plain'", "-1", "a,\"b", "Ethernet0"};
    std::string csv = "time_us,port,queue,device,tx_bytes\n";
    for (const auto& name : names) {
        csv += fmt::format("0,{},3,{},1\n", csv_cell(name), csv_cell(name));
    }
    const auto trace = trace_of(csv);
    std::vector<std::string> devices;
    std::vector<std::string> ports;
    for (const auto& one : trace.devices) {
        devices.push_back(one.device);
        ports.push_back(one.inventory.ports.front().name);
    }
    EXPECT_THAT(devices, testing::UnorderedElementsAreArray(names));
    EXPECT_THAT(ports, testing::UnorderedElementsAreArray(names));
}

TEST(TraceReader, AnEmptyCellIsUnknown)
{
    const auto trace = read_one("time_us,port,queue,tx_bytes,rx_xoff,pause_us\n1,e0,3,,7,\n2,e0,3,5,,\n3,e0,3,,,\n");
    EXPECT_EQ(trace.samples.at(0).known, bit(Field::rx_xoff));
    EXPECT_EQ(trace.samples.at(1).known, bit(Field::tx_bytes));
    EXPECT_EQ(trace.samples.at(2).known, 0U);
    EXPECT_EQ(trace.samples.at(0).read_at, instant_from_us(1));
    EXPECT_EQ(trace.capabilities.fields, bit(Field::rx_xoff) | bit(Field::tx_bytes));
    EXPECT_EQ(trace.capabilities.survive, trace.capabilities.fields);
}

TEST(TraceReader, AssumesThatEveryTreatmentIsPossible)
{
    const auto capabilities = read_one("time_us,port,queue\n1,e0,3\n").capabilities;
    EXPECT_EQ(capabilities.treatments, (1U << static_cast<unsigned>(Treatment::count_)) - 1);
    EXPECT_EQ(capabilities.port_wide,
              bit(Treatment::lossless_off) | bit(Treatment::squeeze) | bit(Treatment::port_down));
    EXPECT_TRUE(capabilities.reads_back);
    EXPECT_FALSE(capabilities.detects_itself);
}

TEST(TraceReader, RowsAreSortedByPortAndPriority)
{
    const auto trace = read_one("time_us,port,queue\n1,e4,4\n1,e0,3\n1,e4,\n1,e4,3\n2,e4,4\n");
    EXPECT_EQ(trace.device, "device0");
    EXPECT_THAT(row_names(trace), ElementsAre("e4", "e4:3", "e4:4", "e0:3"));
    EXPECT_EQ(trace.samples.at(0).slot, Slot{2});
    EXPECT_EQ(trace.samples.at(1).slot, Slot{3});
    EXPECT_EQ(trace.samples.at(4).slot, Slot{2});
}

TEST(TraceReader, QueueAfterQueueBecomesLookAfterLook)
{
    const auto trace = read_one("time_us,port,queue,tx_bytes\n1,e0,3,31\n2,e0,3,32\n1,e0,4,41\n2,e0,4,42\n");
    EXPECT_THAT(trace.time_us, ElementsAre(1, 1, 2, 2));
    std::vector<std::uint64_t> bytes;
    for (const auto& sample : trace.samples) {
        bytes.push_back(sample[Field::tx_bytes]);
    }
    EXPECT_THAT(bytes, ElementsAre(31, 41, 32, 42));
}

TEST(TraceReader, SeparatesDevices)
{
    const auto trace = trace_of("time_us,port,queue,device\n1,e0,3,sw2\n1,e0,3,sw1\n0,e1,3,\n2,e0,3,sw2\n");
    ASSERT_EQ(trace.devices.size(), 3U);
    EXPECT_EQ(trace.devices[0].device, "sw2");
    EXPECT_EQ(trace.devices[1].device, "sw1");
    EXPECT_EQ(trace.devices[2].device, "device0");
    EXPECT_EQ(trace.devices[0].samples.size(), 2U);
    EXPECT_EQ(trace.devices[1].inventory.rows[0].target.port.device, DeviceId{1});
}

TEST(TraceReader, StampsThatCannotBeComparedBeginANewEpoch)
{
    const auto epochs = [](std::string_view rows) {
        std::vector<std::uint32_t> all;
        const auto trace = read_trace("time_us,port,queue,pause_us,sampled_us\n" + std::string{rows}, "t");
        EXPECT_TRUE(trace.has_value());
        for (const auto& sample : trace->devices.at(0).samples) {
            all.push_back(sample.epoch);
        }
        return all;
    };
    using Epochs = std::vector<std::uint32_t>;
    EXPECT_EQ(epochs("0,E0,3,0,5000000\n100000,E0,3,0,5000000\n200000,E0,3,0,5200000\n"), (Epochs{1, 1, 1}))
        << "counters that are refreshed now and then";
    EXPECT_EQ(epochs("0,E0,3,0,\n100000,E0,3,0,5100000\n200000,E0,3,0,5200000\n"), (Epochs{1, 2, 2}))
        << "a row without a stamp among rows with one";
    EXPECT_EQ(epochs("0,E0,3,0,0\n100000,E0,3,0,9000000\n200000,E0,3,0,9100000\n"), (Epochs{1, 2, 2}))
        << "a device's clock that was set";
    EXPECT_EQ(epochs("0,E0,3,0,\n100000,E0,3,,\n200000,E0,3,0,\n"), (Epochs{1, 1, 2})) << "a row without values";
}

TEST(TraceReader, EpochGrowsWithTheLinkAndItsSpeed)
{
    const auto trace =
        read_one("time_us,port,queue,link_up,speed_bps\n"
                 "1,e0,3,,\n2,e0,3,1,\n3,e0,3,1,100\n4,e0,3,0,\n5,e0,3,,\n6,e0,3,1,100\n7,e0,3,1,400\n8,e0,3,,\n");
    EXPECT_THAT(epochs(trace, "e0:3"), ElementsAre(1, 1, 1, 0, 0, 3, 4, 4));
    EXPECT_EQ(trace.inventory.rows[0].speed.bps, 100U);
}

TEST(TraceReader, APortLevelRowAppliesToItsQueues)
{
    // The port row is listed after the queue, read more often, and down only between two looks at the queue.
    const auto trace = read_one("time_us,port,queue,link_up,speed_bps\n"
                                "1,e0,3,,\n1,e0,,0,100\n2,e0,3,,\n2,e0,,1,\n3,e0,,0,\n4,e0,,1,\n5,e0,3,,\n5,e1,3,,\n");
    EXPECT_THAT(epochs(trace, "e0:3"), ElementsAre(0, 2, 4));
    EXPECT_THAT(epochs(trace, "e1:3"), ElementsAre(1));
    EXPECT_EQ(trace.inventory.rows[1].speed.bps, 100U);
    EXPECT_EQ(trace.inventory.rows[2].speed.bps, 0U);
}

TEST(TraceReader, FormsOfTextThatMeanTheSame)
{
    const auto plain = read_one("time_us,port,queue,link_up\n1,e\"0,3,1\n2,e\"0,3,0\n");
    for (const std::string_view text : {
             "time_us,port,queue,link_up\r\n1,e\"0,3,1\r\n2,e\"0,3,0\r\n",
             "\xef\xbb\xbftime_us,port,queue,link_up\n1,e\"0,3,1\n2,e\"0,3,0",
             "# recorded by hand\n\n  time_us , port,\tqueue,link_up\n\n  # second look\n1,\"e\"\"0\",3,true\n2 , "
             "\"e\"\"0\" , 3,false\n",
             "\"time_us\",\"port\",\"queue\",\"link_up\"\n\"1\",\"e\"\"0\",\"3\",\"1\"\n2,e\"0,3,0\n",
             "{\"time_us\":1,\"port\":\"e\\\"0\",\"queue\":3,\"link_up\":true}\n{\"queue\":\"3\",\"link_up\":0,\"time_"
             "us\":\"2\",\"port\":\"e\\u00220\"}",
             "\n# json\n  { \"time_us\" : 1 , \"port\" : \"e\\\"0\" , \"queue\":3 "
             "}\r\n{\"time_us\":2,\"port\":\"e\\\"0\",\"queue\":3,\"link_up\":false,\"tx_bytes\":null}\n",
         }) {
        const auto other = read_one(text);
        EXPECT_EQ(row_names(other), row_names(plain)) << text;
        EXPECT_EQ(other.time_us, plain.time_us) << text;
        EXPECT_EQ(epochs(other, "e\"0:3"), epochs(plain, "e\"0:3")) << text;
        EXPECT_EQ(other.capabilities.fields, plain.capabilities.fields) << text;
    }
}

TEST(TraceReader, AJsonLineWithoutQueueIsAPortLevelRow)
{
    EXPECT_THAT(
        row_names(read_one("{\"time_us\":1,\"port\":\"e0\"}\n{\"time_us\":2,\"port\":\"e0\",\"queue\":null}\n")),
        ElementsAre("e0"));
}

TEST(TraceReader, AHeaderAloneIsATraceWithoutDevices) { EXPECT_TRUE(trace_of("time_us,port,queue\n").devices.empty()); }

TEST(TraceReader, MorePortsThanNumbersIsAComplaint)
{
    std::string text = "time_us,port,queue\n";
    for (int i = 0; i < 65'536; ++i) {
        text += "1,p" + std::to_string(i) + ",\n";
    }
    const auto trace = read_trace(text, "t");
    ASSERT_FALSE(trace.has_value());
    EXPECT_EQ(golden::lines(trace.error()), "t:65537:3: value 'p65535': allowed 65535 different ports in one device\n");
}

}  // namespace
}  // namespace petrel::codec
