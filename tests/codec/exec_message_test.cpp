// Lines of the exec protocol: what Petrel sends, what it accepts, and what it says about each wrong line.
#include "codec/exec/exec_message.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/exec/exec_request.hpp"
#include "link/raw_code.hpp"

namespace petrel::codec {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using watchdog::Field;
using watchdog::Notice;
using watchdog::Treatment;

constexpr std::string_view kCapabilities =
    R"({"fields":["pause_us","paused_now","pause_state","tx_packets"],"survive":["pause_us"],"treatments":["drop","port_down"],)"
    R"("port_wide":["port_down"],"reads_back":true,"detects_itself":false,"refresh_us":1000,"stamp_uncertainty_us":50})";
constexpr std::string_view kPorts =
    R"([{"name":"Ethernet0","xname":"x0c0r4j3p1","number":19,"speed_bps":100000000000,"host_facing":true,"priorities":[3,4],"port_row":true},)"
    R"({"name":"Ethernet4","speed_bps":0,"host_facing":false,"priorities":[3]}])";

std::string hello_line(std::string_view capabilities = kCapabilities, std::string_view ports = kPorts)
{
    return fmt::format(
        R"({{"id":1,"protocol":1,"name":"switch","answer_within_ms":500,"capabilities":{},"inventory":{{"ports":{}}}}})",
        capabilities, ports);
}

ExecMessage parsed(std::string_view line)
{
    auto message = ExecMessage::parse(line);
    EXPECT_TRUE(message) << message.error().what;
    return std::move(*message);
}

template <class Value>
std::string error_of(const Result<Value>& read)
{
    return read ? "accepted" : read.error().what;
}

std::string hello_error(std::string_view line)
{
    return error_of(ExecMessage::parse(line).and_then([](const ExecMessage& m) { return m.hello(DeviceId{7}); }));
}

class ExecRows : public testing::Test {
protected:
    static constexpr watchdog::Fields kFields = bit(Field::pause_us) | bit(Field::paused_now) |
                                                bit(Field::pause_state) | bit(Field::tx_packets) |
                                                bit(Field::pause_timeout);
    static constexpr Instant kReceived = instant_from_us(5'000);

    Result<ExecSamples> samples(std::string_view line) const
    {
        return ExecMessage::parse(line).and_then(
            [&](const ExecMessage& m) { return m.samples(names_, kFields, kReceived); });
    }

    watchdog::Inventory inventory_{parsed(hello_line()).hello(DeviceId{7}).value().inventory};
    ExecNames names_{inventory_};
};

TEST(ExecHello, HasCapabilitiesAndRows)
{
    const auto hello = parsed(hello_line()).hello(DeviceId{7});
    ASSERT_TRUE(hello) << hello.error().what;
    EXPECT_EQ(hello->name, "switch");
    EXPECT_EQ(hello->answer_within, 500ms);
    EXPECT_FALSE(hello->treated_by_others);
    EXPECT_EQ(hello->capabilities.fields,
              bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::pause_state) | bit(Field::tx_packets));
    EXPECT_EQ(hello->capabilities.survive, bit(Field::pause_us));
    EXPECT_EQ(hello->capabilities.treatments, bit(Treatment::drop) | bit(Treatment::port_down));
    EXPECT_EQ(hello->capabilities.port_wide, bit(Treatment::port_down));
    EXPECT_TRUE(hello->capabilities.reads_back);
    EXPECT_FALSE(hello->capabilities.reads_links);
    EXPECT_EQ(hello->capabilities.refresh, 1ms);
    EXPECT_EQ(hello->capabilities.stamp_uncertainty, 50us);
    const auto& inventory = hello->inventory;
    ASSERT_THAT(inventory.ports, SizeIs(2));
    EXPECT_EQ(inventory.ports[0].xname, "x0c0r4j3p1");
    EXPECT_EQ(inventory.ports[0].number, 19);
    ASSERT_THAT(inventory.rows, SizeIs(4));
    EXPECT_EQ(inventory.rows[0].target, (Target{{DeviceId{7}, 0}, std::nullopt}));
    EXPECT_EQ(inventory.rows[2].target, (Target{{DeviceId{7}, 0}, Priority{4}}));
    EXPECT_EQ(inventory.rows[3].target, (Target{{DeviceId{7}, 1}, Priority{3}}));
    EXPECT_EQ(inventory.rows[2].speed.bps, 100'000'000'000U);
    EXPECT_TRUE(inventory.rows[2].host_facing);
    EXPECT_FALSE(inventory.rows[3].host_facing);
}

// The error of a wrong hello names the place, the value and what is allowed.
TEST(ExecHello, SaysWhatIsWrong)
{
    const auto with_port = [](std::string_view port) { return hello_line(kCapabilities, fmt::format("[{}]", port)); };
    const auto with = [](std::string_view from, std::string_view to) {
        auto line = hello_line();
        const auto at = line.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return line.replace(at, from.size(), to);
    };
    EXPECT_EQ(hello_error("hello"), "the line is 'hello': allowed one JSON object a line");
    EXPECT_EQ(hello_error("[1]"), "the line is '[1]': allowed one JSON object a line");
    EXPECT_EQ(hello_error(R"({"id":1,"id":2})"), R"(the line is '{"id":1,"id":2}': allowed the key 'id' once)");
    EXPECT_EQ(hello_error(R"({"id":-1})"), "id is -1: allowed a whole number, 0..18446744073709551615");
    EXPECT_EQ(hello_error(R"({"ok":true})"),
              R"(the line is {"ok":true}: allowed an answer (id) or one of notice, inventory, note)");
    EXPECT_EQ(hello_error(R"({"id":1})"), "the line has no protocol: it is required");
    EXPECT_EQ(hello_error(R"({"id":1,"protocol":2,"new":0})"), "protocol is 2: allowed 1");
    EXPECT_EQ(hello_error(with(R"("name":"switch")", R"("name":"")")),
              R"(name is "": allowed a name of printable characters)");
    EXPECT_EQ(hello_error(with(R"("name":"switch")", R"("nam":"switch")")),
              "the line has the key 'nam': allowed a known key, the nearest is 'name'");
    EXPECT_EQ(hello_error(with("500", "5")), "answer_within_ms is 5: allowed a whole number, 10..60000");
    EXPECT_EQ(hello_error(with("500", "60001")), "answer_within_ms is 60001: allowed a whole number, 10..60000");
    EXPECT_EQ(hello_error(with("\"tx_packets\"", "\"tx_packet\"")),
              R"(capabilities.fields[3] is "tx_packet": allowed a known name, the nearest is 'tx_packets')");
    EXPECT_EQ(hello_error(with(R"("survive":["pause_us"])", R"("survive":["tx_bytes"])")),
              R"(capabilities.survive[0] is "tx_bytes": allowed one of `fields`)");
    EXPECT_EQ(hello_error(with(R"(["drop",)", R"(["none",)")),
              R"(capabilities.treatments[0] is "none": allowed a treatment other than none: every device restores)");
    EXPECT_EQ(hello_error(with("true", "1")), "capabilities.reads_back is 1: allowed true or false");
    EXPECT_EQ(hello_error(with(R"("refresh_us":1000)", R"("refresh_us":3600000001)")),
              "capabilities.refresh_us is 3600000001: allowed a whole number, 0..3600000000");
    EXPECT_EQ(hello_error(with(R"([3,4])", R"([3,8])")),
              "inventory.ports[0].priorities[1] is 8: allowed a whole number, 0..7");
    EXPECT_EQ(hello_error(with(R"([3,4])", R"([3,3])")),
              "inventory.ports[0].priorities[1] is 3: allowed each priority once");
    EXPECT_EQ(hello_error(with("Ethernet4", "Ethernet0")),
              "the name 'Ethernet0' stands for two ports or queues: allowed is each name once");
    EXPECT_EQ(hello_error(with("Ethernet4", "Ethernet0:3")),
              "the name 'Ethernet0:3' stands for two ports or queues: allowed is each name once");
    EXPECT_EQ(hello_error(with_port("7")), "inventory.ports[0] is 7: allowed an object");
    EXPECT_EQ(hello_error(with_port(R"({"name":"e\u001b[0m"})")),
              R"(inventory.ports[0].name is "e\u001b[0m": allowed a name of printable characters)");
    std::string many = "{}";
    for (std::size_t i = 0; i != kMostExecPorts; ++i) {
        many += ",{}";
    }
    EXPECT_THAT(hello_error(with_port(many)), HasSubstr("allowed a list of at most 1024"));
    EXPECT_THAT(hello_error(R"({"id":[[[[[[1]]]]]]})"), HasSubstr("allowed at most 6 nested objects and lists"));
    EXPECT_THAT(hello_error(std::string(kLongestExecLine + 1, ' ')), HasSubstr("allowed at most 4194304 bytes"));
}

TEST_F(ExecRows, SamplesCarryWhatIsKnown)
{
    const auto read = samples(R"({"id":2,"samples":[)"
                              R"({"row":"Ethernet0:3","epoch":4,"at_us":4000,"pause_us":18446744073709551615,)"
                              R"("paused_now":true,"pause_state":"not_continuous"},)"
                              R"({"row":"Ethernet4:3","unreadable":"no answer of the switch"},)"
                              R"({"row":"Ethernet0","epoch":0}]})");
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_THAT(read->read, SizeIs(2));
    const auto& first = read->read[0];
    EXPECT_EQ(first.slot, Slot{1});
    EXPECT_EQ(first.epoch, 4U);
    EXPECT_EQ(first.read_at, instant_from_us(4000));
    EXPECT_EQ(first.known, bit(Field::pause_us) | bit(Field::paused_now) | bit(Field::pause_state));
    EXPECT_EQ(first[Field::pause_us], 18446744073709551615U);
    EXPECT_TRUE(first.paused_now);
    EXPECT_EQ(first.pause_state, watchdog::PauseState::not_continuous);
    EXPECT_EQ(read->read[1].slot, Slot{0});
    EXPECT_EQ(read->read[1].read_at, kReceived);
    EXPECT_EQ(read->read[1].known, 0U);
    EXPECT_THAT(read->unreadable, ElementsAre(device::UnseenQueue{"Ethernet4:3", "no answer of the switch"}));
}

TEST_F(ExecRows, SaysWhichSampleIsWrong)
{
    const auto error = [&](std::string_view sample) {
        return error_of(samples(fmt::format(R"({{"id":2,"samples":[{}]}})", sample)));
    };
    EXPECT_EQ(error(R"({"row":"Ethernet0:3"})"), "samples[0] has no epoch: it is required");
    EXPECT_EQ(error(R"({"epoch":1})"), "samples[0] has no row: it is required");
    EXPECT_EQ(error(R"({"row":"Ethernet9:3","epoch":1})"),
              R"(samples[0].row is "Ethernet9:3": allowed a row of the inventory)");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1},{"row":"Ethernet0:3","epoch":1})"),
              R"(samples[1].row is "Ethernet0:3": allowed each row once)");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"pause_us":-5})"),
              "samples[0].pause_us is -5: allowed a whole number, 0..18446744073709551615");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"pause_us":1.5})"),
              "samples[0].pause_us is 1.5: allowed a whole number, 0..18446744073709551615");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"pause_us":18446744073709551616})"),
              "samples[0].pause_us is 1.8446744073709552e+19: allowed a whole number, 0..18446744073709551615");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":4294967296})"),
              "samples[0].epoch is 4294967296: allowed a whole number, 0..4294967295");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"pause_timeout":4294967296})"),
              "samples[0].pause_timeout is 4294967296: allowed a whole number, 0..4294967295");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"paused_now":1})"),
              "samples[0].paused_now is 1: allowed true or false");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"pause_state":"pause"})"),
              R"(samples[0].pause_state is "pause": allowed one of not_paused, paused, not_continuous)");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"tx_bytes":1})"),
              "samples[0].tx_bytes is 1: allowed the fields that the capabilities list");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"pause_u":1})"),
              "samples[0] has the key 'pause_u': allowed a known key, the nearest is 'pause_us'");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","epoch":1,"at_us":5001})"),
              "samples[0].at_us is 5001: allowed a time of the monotonic clock that is not in the future, up to 5000");
    EXPECT_EQ(error(R"({"row":"Ethernet0:3","unreadable":"x","epoch":1})"),
              "samples[0] has the key 'epoch': allowed a known key, one of row, unreadable");
}

TEST_F(ExecRows, AnswersOfOtherRequests)
{
    const auto undo = parsed(R"({"id":3,"undo":"mask=24"})").undo();
    ASSERT_TRUE(undo);
    EXPECT_EQ(undo->size, 7);
    EXPECT_EQ(undo->bytes[0], std::byte{'m'});
    EXPECT_THAT(
        error_of(parsed(fmt::format(R"({{"id":3,"undo":"{}"}})", std::string(undo->bytes.size() + 1, 'x'))).undo()),
        HasSubstr(fmt::format("allowed a string of at most {} bytes", undo->bytes.size())));
    EXPECT_EQ(parsed(R"({"id":3,"treatment":"drop"})").treatment(), Treatment::drop);
    EXPECT_EQ(error_of(parsed(R"({"id":3,"treatment":"dorp"})").treatment()),
              R"(treatment is "dorp": allowed a known name, the nearest is 'drop')");
    EXPECT_TRUE(parsed(R"({"id":3})").done());
    EXPECT_EQ(error_of(parsed(R"({"id":3,"ok":1})").done()),
              "the line has the key 'ok': allowed a known key, one of id");
}

TEST_F(ExecRows, TheHelpersOwnErrorIsPassedOn)
{
    const auto failed = parsed(R"({"id":3,"error":"the switch is busy"})").done();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::unreachable);
    EXPECT_EQ(failed.error().what, "the switch is busy");
    EXPECT_EQ(parsed(R"({"id":3,"error":"no","kind":"unsupported"})").undo().error().kind, ErrorKind::unsupported);
    EXPECT_EQ(parsed(R"({"id":3,"error":"no","kind":"denied"})").undo().error().kind, ErrorKind::denied);
    EXPECT_EQ(error_of(parsed(R"({"id":3,"error":"no","kind":"broken"})").undo()),
              R"(kind is "broken": allowed one of unreachable, unsupported, denied, timed_out)");
    EXPECT_EQ(error_of(parsed(R"({"id":3,"error":7})").undo()), "error is 7: allowed a string of at most 1024 bytes");
}

TEST_F(ExecRows, WatchingByItself)
{
    const std::vector<device::DelegatedRow> wanted{{Slot{1}, 200ms, 400ms, Treatment::drop, 5, true}};
    EXPECT_EQ(exec_watch_by_itself(9, names_, wanted),
              R"({"id":9,"call":"watch_by_itself","rows":[{"row":"Ethernet0:3","detect_us":200000,"restore_us":400000,)"
              R"("action":"drop","tolerance_percent":5,"clip":true}]})");
    const auto read =
        parsed(R"({"id":9,"rows":[{"row":"Ethernet0:3","on":true,"detect_us":200000,"observed_detect_us":199000}]})")
            .delegated(names_, wanted);
    ASSERT_TRUE(read) << read.error().what;
    ASSERT_THAT(*read, SizeIs(1));
    EXPECT_TRUE(read->front().on);
    EXPECT_EQ(read->front().detect, (device::TimerShown{200ms, 199ms}));
    EXPECT_EQ(read->front().restore, device::TimerShown{});
    EXPECT_EQ(error_of(parsed(R"({"id":9,"rows":[]})").delegated(names_, wanted)),
              "rows is []: allowed the rows of the request, in its order");
}

TEST_F(ExecRows, LinksHaveACodeOnlyWithItsList)
{
    const auto links = [&](std::string_view list) {
        return parsed(fmt::format(R"({{"id":7,"links":[{}]}})", list)).links([&](std::string_view name) {
            return names_.is_port(name);
        });
    };
    const auto read = links(R"({"port":"Ethernet0","up":false,"downs":3,"disabled":true,"list":"hpe.sl_cause",)"
                            R"("code":8388608,"neighbor_reason":39},{"port":"Ethernet4","up":true})");
    ASSERT_TRUE(read) << read.error().what;
    const link::RawCode code{link::list_named("hpe.sl_cause").value(), 8'388'608};
    EXPECT_THAT(*read, ElementsAre(link::LinkSample{"Ethernet0", false, true, 3, code, 39},
                                   link::LinkSample{"Ethernet4", true, false, 0, std::nullopt, std::nullopt}));
    EXPECT_EQ(error_of(links(R"({"up":true})")), "links[0] has no port: it is required");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0"})")), "links[0] has no up: it is required");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0:3","up":true})")),
              R"(links[0].port is "Ethernet0:3": allowed a port of the inventory)");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0","up":true},{"port":"Ethernet0","up":true})")),
              R"(links[1].port is "Ethernet0": allowed each port once)");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0","up":true,"code":1})")), "links[0] has no list: it is required");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0","up":true,"list":"sai.port_error"})")),
              "links[0] has no code: it is required");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0","up":true,"list":"sai","code":1})")),
              R"(links[0].list is "sai": allowed a list of codes, as sai.port_error)");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0","up":true,"neighbor_reason":256})")),
              "links[0].neighbor_reason is 256: allowed a whole number, 0..255");
    EXPECT_EQ(error_of(links(R"({"port":"Ethernet0","up":true,"why":1})")),
              "links[0] has the key 'why': allowed a known key, one of port, up, downs, disabled, list, code, "
              "neighbor_reason");
}

TEST_F(ExecRows, Requests)
{
    device::Undo undo;
    undo.bytes[0] = std::byte{'7'};
    undo.size = 1;
    EXPECT_EQ(exec_hello(1), R"({"id":1,"call":"hello","protocol":1})");
    EXPECT_EQ(exec_look(2, names_, {}), R"({"id":2,"call":"look"})");
    EXPECT_EQ(exec_look(2, names_, std::vector{Slot{0}, Slot{3}}),
              R"({"id":2,"call":"look","rows":["Ethernet0","Ethernet4:3"]})");
    EXPECT_EQ(exec_prepare(3, "Ethernet0:3", Treatment::drop),
              R"({"id":3,"call":"prepare","target":"Ethernet0:3","want":"drop"})");
    EXPECT_EQ(exec_apply(4, "Ethernet0:3", Treatment::none, undo),
              R"({"id":4,"call":"apply","target":"Ethernet0:3","want":"none","undo":"7"})");
    EXPECT_EQ(exec_read_back(5, "Ethernet0:3"), R"({"id":5,"call":"read_back","target":"Ethernet0:3"})");
    EXPECT_EQ(exec_links(6), R"({"id":6,"call":"links"})");
    EXPECT_EQ(exec_close(6), R"({"id":6,"call":"close"})");
}

TEST_F(ExecRows, LinesThatNobodyAskedFor)
{
    const auto notice =
        parsed(R"({"notice":"detected","target":"Ethernet0:3","at_us":4000,"action":"drop","interval_us":200000})")
            .notice(kReceived);
    ASSERT_TRUE(notice) << notice.error().what;
    EXPECT_EQ(notice->kind, Notice::Kind::detected);
    EXPECT_EQ(notice->target, "Ethernet0:3");
    EXPECT_EQ(notice->at, instant_from_us(4000));
    EXPECT_EQ(notice->action, Treatment::drop);
    EXPECT_EQ(notice->interval, 200ms);
    EXPECT_EQ(parsed(R"({"notice":"link_down","target":"Ethernet0"})").notice(kReceived)->at, kReceived);
    EXPECT_EQ(error_of(parsed(R"({"notice":"storm","target":"Ethernet0"})").notice(kReceived)),
              R"(notice is "storm": allowed one of detected, recovered, link_up, link_down)");
    EXPECT_EQ(parsed(R"({"note":"old firmware"})").note(), "old firmware");
    const auto inventory = parsed(R"({"inventory":{"ports":[]}})").inventory(DeviceId{7});
    ASSERT_TRUE(inventory);
    EXPECT_THAT(inventory->rows, IsEmpty());
}

}  // namespace
}  // namespace petrel::codec
