// A damaged text is either read or refused, whatever the damage: a hundred thousand cases, the same ones in each run.
#include <algorithm>
#include <array>

#include "base/complaint_list.hpp"
#include "codec/checkpoint_json.hpp"
#include "codec/policy_reader.hpp"
#include "codec/trace_reader.hpp"
#include "config/policy_bind.hpp"
#include "config/policy_file.hpp"
#include "golden.hpp"
#include "mutate.hpp"
#include "two_ports.hpp"

namespace petrel::codec {
namespace {

template <class T>
void expect_some(const Parsed<T>& parsed)
{
    if (!parsed) {
        ASSERT_FALSE(parsed.error().empty());
        ASSERT_LE(parsed.error().size(), ComplaintList::kMost + 1);
    }
}

void expect_consistent(const device::DeviceTrace& trace)
{
    ASSERT_EQ(trace.samples.size(), trace.time_us.size());
    ASSERT_TRUE(std::is_sorted(trace.time_us.begin(), trace.time_us.end()));
    for (const auto& sample : trace.samples) {
        ASSERT_LT(sample.slot.value, trace.inventory.rows.size());
    }
    for (const auto& row : trace.inventory.rows) {
        ASSERT_LT(row.target.port.index, trace.inventory.ports.size());
    }
}

// The number of mutations of `text` that could still be read.
template <class Read>
int survivors(const std::string& text, int times, const Read& read)
{
    std::mt19937_64 random{20'250'101};
    int readable = 0;
    for (int i = 0; i < times && !testing::Test::HasFatalFailure(); ++i) {
        readable += read(mutated(text, random)) ? 1 : 0;
    }
    return readable;
}

bool read_and_check_trace(const std::string& text)
{
    const auto trace = read_trace(text, "t");
    expect_some(trace);
    if (trace) {
        std::for_each(trace->devices.begin(), trace->devices.end(), expect_consistent);
    }
    return trace.has_value();
}

// Both outcomes must occur; otherwise the mutations do not test what they should.
void expect_both(int readable, int times)
{
    EXPECT_GT(readable, times / 100);
    EXPECT_LT(readable, times - times / 100);
}

TEST(Mutation, TraceAsCsv)
{
    const std::string text = "time_us,port,queue,device,link_up,speed_bps,pause_state,pause_us,tx_bytes,pause_timeout\n"
                             "100,Ethernet0,3,sw1,1,100000000000,not_paused,0,18446744073709551615,\n"
                             "100,\"Ether\"\"net4\",,sw1,1,100000000000,,,,0x1f\n"
                             "# a comment\r\n"
                             "200,Ethernet0,3,sw1,0,100000000000,paused_not_continuous,55,4,\n";
    expect_both(survivors(text, 40'000, read_and_check_trace), 40'000);
}

TEST(Mutation, TraceAsJsonLines)
{
    const std::string text =
        R"({"time_us":100,"port":"Ethernet0","queue":3,"link_up":true,"pause_state":"paused","tx_bytes":7})"
        "\n"
        R"({"time_us":100,"port":"Gr\u00fcn","queue":null,"pause_timeout":"0x1f","device":"sw1"})"
        "\n"
        R"({"time_us":200,"port":"Ethernet0","queue":3,"link_up":0,"tx_bytes":18446744073709551615})";
    expect_both(survivors(text, 20'000, read_and_check_trace), 20'000);
}

TEST(Mutation, PolicyFile)
{
    const std::string text =
        "big_red_switch = false\n[limits]\nmax_mitigated = 8\n"
        "[[policy]]\npreset = \"sonic\"\nname = 'tor'\nports = [\"Ethernet0\"]\npriorities = [3, 4]\n"
        "detect_ms = 200\n[policy.per_priority.3]\ndetect_ms = 300\n"
        "[[policy]]\npreset = \"sai\"\nrelease = \"forced\"\nneeds_backlog = true\n"
        "[[port]]\nname = \"Ethernet0\"\nrole = \"host\"\n";
    const auto read_and_bind = [](const std::string& mutation) {
        const auto file = read_policy_file(mutation, "t");
        expect_some(file);
        if (file) {
            auto inventory = two_ports();
            expect_some(config::bind_ports(*file, std::array{&inventory}));
        }
        return file.has_value();
    };
    expect_both(survivors(text, 20'000, read_and_bind), 20'000);
}

TEST(Mutation, Checkpoint)
{
    watchdog::Checkpoint checkpoint;
    auto& row = checkpoint.rows.emplace_back();
    row.target = two_ports().rows[1].target;
    row.phase = watchdog::Phase::mitigated;
    row.treatment = watchdog::Treatment::drop;
    row.storms_ago = {Duration{5}, Duration{6}};
    row.restored_ago = Duration{7};
    const auto read = [](const std::string& mutation) {
        watchdog::Inventory gone;
        const auto again = read_checkpoint(mutation, "t", two_ports(), &gone);
        expect_some(again);
        return again.has_value();
    };
    expect_both(survivors(checkpoint_json(checkpoint, two_ports()), 20'000, read), 20'000);
}

// Parsers, and the code that shows or frees their results, could overflow the stack.
TEST(Mutation, DeepNestingIsSafe)
{
    constexpr std::size_t kDeep = 200'000;
    const auto repeated = [](std::string_view part, std::size_t times) {
        std::string text;
        for (std::size_t i = 0; i < times; ++i) {
            text += part;
        }
        return text;
    };
    const auto brackets = repeated("[", kDeep);
    const auto closed = brackets + repeated("]", kDeep);
    expect_some(read_trace("{\"time_us\":" + closed + "}", "t"));
    EXPECT_FALSE(read_checkpoint(closed, "t", two_ports()).has_value());
    EXPECT_FALSE(read_checkpoint(brackets, "t", two_ports()).has_value());
    EXPECT_FALSE(read_checkpoint("{\"petrel_checkpoint\":" + closed + "}", "t", two_ports()).has_value());
    EXPECT_FALSE(read_policy_file("x = " + closed, "t").has_value());
    EXPECT_FALSE(read_policy_file("a" + repeated(".a", kDeep) + " = 1", "t").has_value());
    EXPECT_FALSE(read_policy_file("[a" + repeated(".a", kDeep) + "]", "t").has_value());
    // The deepest nesting that is accepted: dotted names on separate lines, inside each other.
    const auto names = "a" + repeated(".a", 128) + " = [\n";
    EXPECT_FALSE(read_policy_file(names + repeated("{" + names, 126) + repeated("]}", 126) + "]\n", "t").has_value());
    EXPECT_FALSE(read_policy_file(names + repeated("{" + names, 126), "t").has_value());
}

}  // namespace
}  // namespace petrel::codec
