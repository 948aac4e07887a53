// Any words give a command, a help text or a complaint, never a crash, and a command has only values that the grammar
// allows. Any text in the database is shown without characters that control a terminal.
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "sonic_tools/tools.hpp"

namespace {

using petrel::Result;
using petrel::sonic::Change;
using petrel::sonic::Db;
using petrel::sonic::Hash;

// A database in memory, with one port to configure.
class MemoryStore final : public petrel::sonic::Store {
public:
    Result<std::vector<std::string>> keys(Db db, std::string_view prefix) override
    {
        std::vector<std::string> found;
        for (const auto& [key, hash] : hashes_[db]) {
            if (key.starts_with(prefix)) {
                found.push_back(key);
            }
        }
        return found;
    }
    Result<std::vector<Hash>> hashes(Db db, std::span<const std::string> keys) override
    {
        std::vector<Hash> found;
        for (const auto& key : keys) {
            found.push_back(hashes_[db][key]);
        }
        return found;
    }
    Result<bool> is_set(Db, const std::string&) override { return true; }

    // Puts this text into a port's name, its entries and their values.
    void add_text(const std::string& text)
    {
        auto& config = hashes_[Db::config];
        config["PORT|Ethernet4" + text] = {{"pfc_asym", text}, {"role", text}};
        config["PORT_QOS_MAP|Ethernet4" + text] = {{"pfc_enable", text}};
        config["PFC_WD|Ethernet4" + text] = {{"action", text}, {"detection_time", text}};
        config["BUFFER_POOL|" + text] = {{text, text}};
        auto& counters = hashes_[Db::counters];
        counters["COUNTERS_PORT_NAME_MAP"]["Ethernet4" + text] = "oid:0x3";
        counters["COUNTERS_QUEUE_NAME_MAP"]["Ethernet4:3" + text] = "oid:0x4";
        counters["COUNTERS:oid:0x3"] = {{"SAI_PORT_STAT_PFC_3_RX_PKTS", text}};
        counters["COUNTERS:oid:0x4"] = {{"PFC_WD_STATUS", text}, {"PFC_WD_QUEUE_STATS_TX_PACKETS", text}};
    }
    Result<void> apply(Db db, std::span<const Change> changes) override
    {
        for (const auto& change : changes) {
            check(change);
            hashes_[db][change.key] = change.fields;
        }
        return {};
    }

private:
    static void check(const Change& change)
    {
        if (const auto time = change.fields.find("detection_time"); time != change.fields.end()) {
            const auto ms = std::stol(time->second);
            PETREL_ASSERT(ms >= 200 && ms <= 5000, "detection time {}", ms);
        }
    }

    std::map<Db, std::map<std::string, Hash>> hashes_{{Db::config,
                                                       {{"PFC_WD|GLOBAL", {{"POLL_INTERVAL", "200"}}},
                                                        {"PORT|Ethernet0", {{"admin_status", "up"}}},
                                                        {"PORT_QOS_MAP|Ethernet0", {{"pfc_enable", "3,4"}}},
                                                        {"PFC_WD|Ethernet0", {{"detection_time", "400a"}}},
                                                        {"BUFFER_PROFILE|p", {{"dynamic_th", "0"}}}}},
                                                      {Db::counters,
                                                       {{"COUNTERS_PORT_NAME_MAP", {{"Ethernet0", "oid:0x1"}}},
                                                        {"COUNTERS_QUEUE_NAME_MAP", {{"Ethernet0:3", "oid:0x2"}}}}}};
};

// The tools indent some lines with a tab.
void check_lines(std::string_view text)
{
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        line.remove_prefix(line.starts_with('\t') ? 1 : 0);
        PETREL_ASSERT(petrel::printable(line), "a terminal would obey '{}'", petrel::escaped(line));
    }
}

}  // namespace

// The first byte selects the tool, whether the last word is in the database, and whether an agent answers with it. The
// rest is one word per line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    static const std::vector<std::string> tools{"pfcwd", "mmuconfig", "pfc", "pfcstat"};
    const auto& tool = tools[data[0] % tools.size()];
    std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    std::vector<std::string> words;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find('\n'));
        words.emplace_back(word);
        text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    petrel::sonic_tools::Surroundings around;
    around.open_store = [&](const auto&) -> Result<std::unique_ptr<petrel::sonic::Store>> {
        auto store = std::make_unique<MemoryStore>();
        if ((data[0] & 64) != 0 && !words.empty()) {
            store->add_text(words.back());
        }
        return store;
    };
    around.request_answer = [&](const auto&, const auto&) -> Result<std::vector<std::string>> {
        if (data[0] < 128 || words.empty()) {
            return tl::unexpected(petrel::Error{petrel::ErrorKind::unreachable, "no agent"});
        }
        return std::vector{words.back()};
    };
    around.may_write = true;
    around.cache = "/proc/nowhere";
    const auto outcome = petrel::sonic_tools::run_tool(tool, tool, words, around);
    PETREL_ASSERT(outcome.exit_code >= 0 && outcome.exit_code <= 2, "exit code {}", outcome.exit_code);
    PETREL_ASSERT(outcome.exit_code != 2 || outcome.err.starts_with("Usage: "), "refused without a reason");
    check_lines(outcome.out);
    check_lines(outcome.err);
    PETREL_ASSERT(outcome.err.empty() || outcome.err.ends_with('\n'), "half a line");
    return 0;
}
