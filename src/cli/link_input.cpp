#include "cli/link_input.hpp"

#include "runtime/atomic_file.hpp"

namespace petrel::cli {

Result<LinkInput> read_link_input(const std::string& file)
{
    const bool is_stdin = file == "-";
    auto text = runtime::read_whole_file(is_stdin ? "/dev/stdin" : file);
    if (!text) {
        // A missing file is a wrong argument, not an unreachable device.
        auto error = text.error();
        error.kind = error.kind == ErrorKind::unreachable ? ErrorKind::invalid : error.kind;
        return tl::unexpected(std::move(error));
    }
    return LinkInput{is_stdin ? "stdin" : file, std::move(*text)};
}

}  // namespace petrel::cli
