#include "cli/links_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/manager_client.hpp"
#include "codec/manager/view_reader.hpp"
#include "config/manager_url.hpp"
#include "fabric/link_log.hpp"
#include "reports/agent/agent_links_text.hpp"
#include "reports/fabric_text.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {
namespace {

// A port without its device is a port of any device.
std::string links_path(const ControlOptions& options)
{
    const auto& request = options.request;
    auto path = std::string{"/api/v1/links"};
    if (request.history) {
        path += fmt::format("?history={}", fabric::LinkLog::kMessagesKept);
    }
    const auto port = request.device.empty() || request.port.empty()
                          ? request.port
                          : fmt::format("{}:{}", request.device, request.port);
    if (port.find(':') != std::string::npos) {
        path += fmt::format("{}port={}", request.history ? "&" : "?", config::percent_escaped(port));
    }
    return path;
}

bool is_end_of(const fabric::ShownLink& link, const control::ControlRequest& request)
{
    const auto fits = [&](const fabric::PortName& name) {
        return (request.device.empty() || request.device == name.device) &&
               (request.port.empty() || request.port == name.port ||
                request.port == fmt::format("{}:{}", name.device, name.port));
    };
    return fits(link.end.name) || (link.far_end && fits(link.far_end->name));
}

}  // namespace

ExitCode show_links(const ControlOptions& options)
{
    if (options.manager.empty()) {
        return run_control(options);
    }
    const auto answer = get_from_manager({options.manager, options.token_file, options.ca_file}, links_path(options));
    if (!answer) {
        return fail(answer.error());
    }
    if (options.json) {
        return finish(*answer, ExitCode::ok);
    }
    auto links = codec::read_links_view(*answer);
    if (!links) {
        return fail(links.error());
    }
    std::erase_if(*links, [&](const fabric::ShownLink& link) { return !is_end_of(link, options.request); });
    return finish(options.format.empty() ? reports::links_text(*links, options.request.history, stdout_columns())
                                         : reports::opasaquery_text(reports::link_reports(*links)),
                  ExitCode::ok);
}

}  // namespace petrel::cli
