#include "device/exec/checklist.hpp"

namespace petrel::device::exec {

Seen expect_error(const Result<codec::ExecMessage>& answer, std::optional<ErrorKind> kind, std::string_view allowed)
{
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    if (!answer->is_error()) {
        return wrong(fmt::format("the answer is a success: allowed is {}", allowed));
    }
    const auto error = answer->done().error();
    if (error.kind == ErrorKind::corrupt) {
        return tl::unexpected(error);
    }
    if (kind && error.kind != *kind) {
        return wrong(fmt::format("the error is '{}': allowed is {}", error.what, allowed));
    }
    return fmt::format("refused: {}", error.what);
}

}  // namespace petrel::device::exec
