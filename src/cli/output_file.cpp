#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "cli/terminal.hpp"
#include "runtime/atomic_file.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::cli {

Result<void> write_output_file(const std::filesystem::path& path, std::string_view text)
{
    const HoldInterrupts hold;
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        std::ofstream stream(path, std::ios::binary);
        stream.write(text.data(), static_cast<std::streamsize>(text.size()));
        if (!stream.flush()) {
            return tl::unexpected(Error{ErrorKind::exhausted, fmt::format("cannot write to {}", path.string())});
        }
        return {};
    }
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
    if (!std::filesystem::is_directory(folder, ignored)) {
        return tl::unexpected(
            Error{ErrorKind::unreachable, fmt::format("cannot write {}: no such folder", path.string())});
    }
    // Through a link to the file behind it, so that the link stays one; otherwise under the name that was given.
    // A link of another user may lead anywhere.
    const auto link = runtime::link_flag(path);
    if (!link) {
        return tl::unexpected(link.error());
    }
    const auto real = *link == 0 ? std::filesystem::weakly_canonical(path, ignored) : path;
    return runtime::write_atomically(ignored ? path : real, text, runtime::kEverybodysFile);
}

}  // namespace petrel::cli
