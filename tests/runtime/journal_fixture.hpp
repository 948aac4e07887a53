// Shared by the journal tests: a switch with three ports, and entries for the journal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/atomic_file.hpp"
#include "runtime/file_journal.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::runtime {

using test::TemporaryFolder;

inline constexpr std::string_view kDevice = "leaf-1";
inline constexpr DeviceId kDeviceId{5};

// Ports by name; ids follow the order.
inline watchdog::Inventory inventory_of(const std::vector<std::string>& ports)
{
    watchdog::Inventory inventory;
    for (std::uint16_t index = 0; const auto& port : ports) {
        inventory.ports.push_back({port, "", std::nullopt});
        inventory.rows.push_back({{{kDeviceId, index++}, Priority{3}}, BitRate{}, true});
    }
    return inventory;
}

inline watchdog::Inventory three_ports() { return inventory_of({"Ethernet0", "Ethernet4", "Ethernet8"}); }

inline Target target_of(std::uint16_t port, std::optional<Priority> priority) { return {{kDeviceId, port}, priority}; }

inline device::Undo undo_of(std::string_view text)
{
    device::Undo undo;
    std::ranges::copy(std::as_bytes(std::span{text}), undo.bytes.begin());
    undo.size = static_cast<std::uint8_t>(text.size());
    return undo;
}

inline WallTime wall(std::int64_t us) { return WallTime{std::chrono::microseconds{us}}; }

inline std::unique_ptr<FileJournal> must_open(const std::filesystem::path& path,
                                              const watchdog::Inventory& inventory = three_ports())
{
    auto journal = FileJournal::open_file(path, kDevice, inventory);
    if (!journal) {
        ADD_FAILURE() << journal.error().what;
        return nullptr;
    }
    return std::move(*journal);
}

}  // namespace petrel::runtime
