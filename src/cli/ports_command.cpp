#include "cli/ports_command.hpp"

#include <fmt/format.h>

#include "codec/manager/view_reader.hpp"
#include "config/manager_url.hpp"
#include "reports/fabric_text.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

ExitCode run_ports(const PortsOptions& options)
{
    auto path = fmt::format("/api/v1/ports?errors={}", options.errors);
    if (!options.device.empty()) {
        path += "&device=" + config::percent_escaped(options.device);
    }
    const auto answer = get_from_manager(options.manager, path);
    if (!answer) {
        return fail(answer.error());
    }
    if (options.json) {
        return finish(*answer, ExitCode::ok);
    }
    const auto ports = codec::read_ports_view(*answer);
    return ports ? finish(reports::ports_text(*ports, options.errors, stdout_columns()), ExitCode::ok)
                 : fail(ports.error());
}

}  // namespace petrel::cli
