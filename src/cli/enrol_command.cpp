#include "cli/enrol_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "codec/manager/enrolment_json.hpp"
#include "config/manager_url.hpp"
#include "enrolment/enrolment.hpp"
#include "terminal/terminal.hpp"

namespace petrel::cli {

namespace {

std::string host_name()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

ExitCode print_text(const std::string& text)
{
    const auto written = write_stdout(text);
    return written ? ExitCode::ok : fail(written.error());
}

}  // namespace

ExitCode run_enrol(const EnrolOptions& options)
{
    const auto name = options.name.empty() ? host_name() : options.name;
    const auto enrolled = connect_to_manager(options.manager).and_then([&](const ManagerConnection& manager) {
        return enrolment::enrol(*manager.client, options.file, name, manager.token);
    });
    if (!enrolled) {
        return fail(enrolled.error());
    }
    return print_text(fmt::format("{} has a certificate for {} in {}\n", name, options.manager.url, options.file));
}

ExitCode run_invite(const InviteOptions& options)
{
    const auto path = fmt::format("/api/v1/agents/{}/{}", config::percent_escaped(options.agent),
                                  options.revoke ? "revocation" : "invitation");
    const auto answer =
        post_to_manager(options.manager, path,
                        options.revoke ? "{}" : codec::invitation_request_json(std::chrono::hours{options.hours}));
    if (!answer) {
        return fail(answer.error());
    }
    if (options.revoke) {
        return print_text(fmt::format("the certificates of {} are refused from now on\n", options.agent));
    }
    const auto token = codec::read_invitation_token(*answer);
    return token ? print_text(*token + '\n') : fail(token.error());
}

}  // namespace petrel::cli
