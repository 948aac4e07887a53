// A folder for the files of one test, removed with it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace petrel::test {

// In memory if possible: these tests wait for thousands of writes, and no test needs them to survive a power failure.
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

}  // namespace petrel::test
