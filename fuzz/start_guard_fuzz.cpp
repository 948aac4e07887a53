// Any bytes in the file of an agent's starts: the start waits for 30 s at most, and the file is good afterwards, so
// that the fourth start after it waits.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "runtime/start_guard.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace petrel;
    static const auto folder = [] {
        std::string name = (std::filesystem::temp_directory_path() / "petrel-fuzz-XXXXXX").string();
        PETREL_ASSERT(::mkdtemp(name.data()) != nullptr, "no folder");
        return std::filesystem::path{name};
    }();
    std::ofstream{folder / "starts", std::ios::binary}.write(reinterpret_cast<const char*>(data),
                                                             static_cast<std::streamsize>(size));
    const WallTime now{std::chrono::microseconds{1'700'000'000'000'000}};
    Duration waits{};
    for (int start = 0; start < 4; ++start) {
        waits = runtime::note_start(folder / "starts", now);
        PETREL_ASSERT(waits >= Duration::zero() && waits <= std::chrono::seconds{30}, "waits for {} ns", waits.count());
    }
    // The file of a later version is neither read nor replaced.
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const bool later = text.starts_with("petrel_starts ") && !text.starts_with("petrel_starts 1\n");
    PETREL_ASSERT(later || waits > Duration::zero(), "the fourth start within a minute does not wait");
    return 0;
}
