#include "daemon/manager_token.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/state_folder.hpp"

namespace petrel::daemon {

Result<std::string> manager_token(const std::filesystem::path& file)
{
    if (file.empty()) {
        return std::string{};
    }
    auto text = runtime::read_regular_file(file);
    while (text && !text->empty() && (text->back() == '\n' || text->back() == '\r')) {
        text->pop_back();
    }
    const auto fits = [](char c) { return c > ' ' && c <= '~'; };
    if (text && (text->empty() || !std::ranges::all_of(*text, fits))) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("{}: a token has one line of printable characters without blanks", file.string())});
    }
    return text;
}

}  // namespace petrel::daemon
