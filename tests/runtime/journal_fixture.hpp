// What the journal tests share: a folder that goes away, a switch of three ports, and entries to write down.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/atomic_file.hpp"
#include "runtime/file_journal.hpp"

namespace petrel::runtime {

// In memory where there is such a place: these tests wait for thousands of writes, and none of them can pull a plug.
class TemporaryFolder {
public:
    TemporaryFolder()
    {
        const std::filesystem::path memory{"/dev/shm"};
        const auto base = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
        auto pattern = (base / "petrel-test-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

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
