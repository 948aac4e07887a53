// The manager's store after other programs have changed it: the manager starts with what is there or refuses the store
// with a reason, answers questions about it, and stores another report. A first byte of zero: the rest are places of
// the file and their new bytes. Another one: the rest are columns and their new values.
#include <SQLiteCpp/SQLiteCpp.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "input.hpp"
#include "manager/manager.hpp"

namespace {

using namespace petrel;

constexpr std::string_view kReport =
    R"({"report":1,"agent":"tor-17","boot":"00000000000000000000000000000001","version":"1"}
{"seq":1,"time_us":1700000000000000,"event":"link_down","device":"s0","port":"Ethernet0","by":"41"}
{"seq":2,"time_us":1700000000500000,"event":"link_up","device":"s0","port":"Ethernet0"}
{"seq":3,"time_us":1700000001000000,"event":"storm_detected","device":"s0","port":"Ethernet0","queue":3,"policy":"tor","reason":"proven","action":"drop","cause":null,"evidence":null}
{"devices":[{"device":"s0","state":"watching","ports":[{"port":"Ethernet0","link":"up","queues":[{"queue":3,"phase":"watching","configured":"none","programmed":"none","observed":"none"}]}]}]}
{"samples":[{"device":"s0","port":"Ethernet0","queue":3,"time_us":1700000001000000,"paused_us":1,"tx_packets":2,"rx_pfc":3}]}
)";

constexpr std::array<std::pair<const char*, const char*>, 32> kColumns{{
    {"source", "id"},
    {"source", "device"},
    {"source", "channel"},
    {"numbers", "source"},
    {"numbers", "epoch"},
    {"numbers", "highest"},
    {"numbers", "forgotten"},
    {"numbers", "latest_us"},
    {"event", "id"},
    {"event", "source"},
    {"event", "epoch"},
    {"event", "number"},
    {"event", "kind"},
    {"event", "port"},
    {"event", "priority"},
    {"event", "cause"},
    {"event", "neighbour_reason"},
    {"event", "at_us"},
    {"event", "taken_us"},
    {"event", "text"},
    {"event", "event"},
    {"heard", "device"},
    {"heard", "at_us"},
    {"agent", "agent"},
    {"agent", "boot"},
    {"agent", "since_us"},
    {"device", "agent"},
    {"device", "device"},
    {"device", "state"},
    {"sample", "queue"},
    {"sample", "time_us"},
    {"audit", "at_us"},
}};

Now at(std::int64_t seconds)
{
    return {Instant{std::chrono::seconds{seconds}}, WallTime{std::chrono::seconds{1'700'000'000 + seconds}}};
}

void report(manager::Manager& manager, std::int64_t seconds)
{
    const auto read = codec::read_report(kReport);
    PETREL_ASSERT(read.has_value(), "the report is not read: {}", read ? "" : read.error().what);
    manager.take(*read, "127.0.0.1", at(seconds));
    const auto stored = manager.commit();
    PETREL_ASSERT(stored || !stored.error().what.empty(), "not stored, and no reason");
}

const std::filesystem::path& folder()
{
    static const auto made = [] {
        std::string name = (std::filesystem::temp_directory_path() / "petrel-fuzz-XXXXXX").string();
        PETREL_ASSERT(::mkdtemp(name.data()) != nullptr, "no folder");
        return std::filesystem::path{name};
    }();
    return made;
}

// The bytes of a store with one report.
const std::string& good_store()
{
    static const auto bytes = [] {
        const auto path = folder() / "good";
        {
            auto manager = manager::Manager::start(manager::Store::open(path).value()).value();
            report(manager, 1);
        }
        std::ifstream file{path, std::ios::binary};
        return std::string{std::istreambuf_iterator{file}, {}};
    }();
    return bytes;
}

void change_columns(const std::filesystem::path& path, fuzz::Input input)
{
    SQLite::Database database{path.string(), SQLite::OPEN_READWRITE};
    while (!input.empty()) {
        const auto [table, column] = kColumns[input.take<std::uint8_t>() % kColumns.size()];
        SQLite::Statement change{database, std::string{"UPDATE OR IGNORE "} + table + " SET " + column + " = ?"};
        const auto kind = input.take<std::uint8_t>();
        if (kind % 2 == 0) {
            change.bind(1, input.take<std::int64_t>());
        } else {
            std::string text;
            for (std::uint8_t left = kind / 2; left != 0 && !input.empty(); --left) {
                text += input.take<char>();
            }
            change.bind(1, text);
        }
        static_cast<void>(change.tryExecuteStep());  // values that a column does not take stay out
    }
}

void use(manager::Manager& manager)
{
    const auto now = at(5).mono;
    static_cast<void>(manager.view().devices(now));
    static_cast<void>(manager.view().ports(now));
    static_cast<void>(manager.view().links({now, {}}));
    static_cast<void>(manager.view().storms(now));
    static_cast<void>(manager.store().events({{}, 0, 10}));
    static_cast<void>(manager.store().events({"s0", 1, 10}));
    static_cast<void>(manager.store().last_cursor());
    static_cast<void>(manager.store().audit(10));
    report(manager, 6);
    static_cast<void>(manager.prune({1, std::chrono::hours{1}, 1, std::chrono::hours{1}}, at(7).wall));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const auto path = folder() / "store";
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        std::filesystem::remove(path.string() + suffix);
    }
    auto bytes = good_store();
    fuzz::Input input{data + 1, size - 1};
    while (data[0] == 0 && !input.empty()) {
        const auto place = input.take<std::uint32_t>() % bytes.size();
        bytes[place] = input.take<char>();
    }
    std::ofstream{path, std::ios::binary} << bytes;
    if (data[0] != 0) {
        change_columns(path, input);
    }
    auto manager = manager::Store::open(path).and_then(
        [](std::unique_ptr<manager::Store> store) { return manager::Manager::start(std::move(store)); });
    if (manager) {
        use(*manager);
    } else {
        PETREL_ASSERT(!manager.error().what.empty(), "refused without a reason");
    }
    return 0;
}
