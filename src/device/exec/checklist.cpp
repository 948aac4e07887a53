#include "device/exec/checklist.hpp"

#include <algorithm>

#include "codec/exec/exec_request.hpp"

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

void Checklist::check_links(const std::function<bool(std::string_view)>& is_port)
{
    check("links", [&] {
        return ask([](std::uint64_t id) { return codec::exec_links(id); })
            .and_then([&](const codec::ExecMessage& answer) { return answer.links(is_port); })
            .map([](const std::vector<link::LinkSample>& links) {
                return fmt::format("{} known, {} up", links.size(),
                                   std::ranges::count(links, true, &link::LinkSample::up));
            });
    });
}

}  // namespace petrel::device::exec
