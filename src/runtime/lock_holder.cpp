#include "runtime/lock_holder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <sstream>
#include <string>

namespace petrel::runtime {

// A line of /proc/locks: "3: FLOCK  ADVISORY  WRITE 4711 fe:01:1318 0 EOF". A waiting lock has "->" after its number.
std::optional<pid_t> lock_holder(const std::filesystem::path& path)
{
    auto lock_path = path;
    lock_path += ".lock";
    struct stat file{};
    if (::lstat(lock_path.c_str(), &file) != 0) {
        return std::nullopt;
    }
    const auto wanted = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
    std::ifstream locks{"/proc/locks"};
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words{line};
        std::string number, kind, strength, mode, place;
        pid_t pid{};
        if (words >> number >> kind >> strength >> mode >> pid >> place && kind == "FLOCK" && place == wanted &&
            pid > 0) {
            return pid;
        }
    }
    return std::nullopt;
}

}  // namespace petrel::runtime
