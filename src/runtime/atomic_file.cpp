#include "runtime/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

#include "runtime/state_folder.hpp"

namespace petrel::runtime {

Result<void> write_atomically(const std::filesystem::path& path, std::string_view text, unsigned mode)
{
    return StateFolder::of(path).and_then([&](const StateFolder& folder) {
        return folder.replace(path.filename().string(), std::as_bytes(std::span{text}), mode)
            .and_then([&](const FileDescriptor&) { return folder.sync(); });
    });
}

Result<std::string> read_whole_file(const std::filesystem::path& path)
{
    const auto file = open_path(path, O_RDONLY);
    if (!file) {
        return tl::unexpected(file.error());
    }
    std::string text;
    std::array<char, 65536> piece;
    for (;;) {
        const auto got = ::read(file->get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return tl::unexpected(file_error("read", path, errno));
        }
        if (got == 0) {
            return text;
        }
        text.append(piece.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace petrel::runtime
