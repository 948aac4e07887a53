// pfcstat with any bytes in its file of saved counters: it shows counters without characters that control a terminal,
// and counters that are saved and loaded again are the same.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "sonic_tools/saved_counters.hpp"
#include "sonic_tools/tools.hpp"
#include "support/memory_store.hpp"

namespace {

using namespace petrel;

std::string temporary_folder()
{
    std::string folder = (std::filesystem::temp_directory_path() / "petrel-fuzz-XXXXXX").string();
    PETREL_ASSERT(::mkdtemp(folder.data()) != nullptr, "no folder");
    return folder;
}

// A switch with one port, which has counted some frames.
Result<std::unique_ptr<sonic::Store>> open_switch(const sonic_tools::Where&)
{
    auto store = std::make_unique<test::MemoryStore>();
    store->content[sonic::Db::config] = {{"PORT|Ethernet0", {{"admin_status", "up"}}}};
    store->content[sonic::Db::counters] = {
        {"COUNTERS_PORT_NAME_MAP", {{"Ethernet0", "oid:0x1"}}},
        {"COUNTERS:oid:0x1", {{"SAI_PORT_STAT_PFC_3_RX_PKTS", "1200"}, {"SAI_PORT_STAT_PFC_4_TX_PKTS", "7"}}}};
    return store;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::filesystem::path folder = temporary_folder();
    std::ofstream{folder / "pfcstat", std::ios::binary}.write(reinterpret_cast<const char*>(data),
                                                              static_cast<std::streamsize>(size));
    sonic_tools::Surroundings around;
    around.open_store = open_switch;
    around.cache = folder;
    const std::vector<std::vector<std::string>> calls{{}, {"--history"}, {"--json"}};
    for (const auto& words : calls) {
        const auto outcome = sonic_tools::run_tool("pfcstat", "pfcstat", words, around);
        PETREL_ASSERT(outcome.exit_code == 0, "exit code {}: {}", outcome.exit_code, outcome.err);
        for (std::string_view text = outcome.out; !text.empty();) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            PETREL_ASSERT(printable(line), "a terminal would obey '{}'", escaped(line));
        }
    }
    if (const auto saved = sonic_tools::load(folder)) {
        PETREL_ASSERT(sonic_tools::save(folder, *saved), "not saved");
        const auto again = sonic_tools::load(folder);
        PETREL_ASSERT(again && again->time == saved->time && again->counts == saved->counts,
                      "not the same after saving and loading");
    }
    return 0;
}
