#include "api/enrolment.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/complaint_text.hpp"
#include "codec/manager/enrolment_json.hpp"
#include "runtime/random_digits.hpp"

namespace petrel::api {

namespace {

Error denied(std::string why) { return {ErrorKind::denied, std::move(why)}; }

}  // namespace

Result<std::string> Enrolment::invite(std::string_view agent, std::string_view body, const std::string& who,
                                      WallTime now)
{
    return codec::read_invitation(body).map([&](std::chrono::hours life) {
        const auto token = runtime::random_digits();
        manager::Invitation invitation{certificates::digest(token), std::string{agent}, now + life, {}};
        manager_.audit({now, who, "agent_invited", invitation.agent, "allowed"});
        manager_.take_access(invitation);
        return codec::invitation_json(agent, token, invitation.until);
    });
}

Result<std::string> Enrolment::certify(std::string_view agent, std::string_view request, std::string_view shown,
                                       std::string_view token, const std::string& who, WallTime now)
{
    if (shown.empty()) {
        if (const auto admitted = admit(agent, request, token, now); !admitted) {
            return tl::unexpected(admitted.error());
        }
    } else if (shown != agent) {
        return tl::unexpected(
            denied(fmt::format("the certificate is for '{}': it may not renew that of '{}'", shown, excerpt(agent))));
    }
    return certificates::issue(issuer_, request, agent, now, kLifeOfCertificate).map([&](const std::string& issued) {
        manager_.audit(
            {now, who, shown.empty() ? "certificate_issued" : "certificate_renewed", std::string{agent}, "allowed"});
        return codec::certificate_json(issued, now + kLifeOfCertificate);
    });
}

Result<void> Enrolment::admit(std::string_view agent, std::string_view request, std::string_view token, WallTime now)
{
    const auto invitation = manager_.store().invitation(certificates::digest(token));
    const auto key = certificates::key_digest(request);
    if (!invitation || !key) {
        return tl::unexpected(!invitation ? invitation.error() : key.error());
    }
    if (!*invitation || (*invitation)->agent != agent) {
        return tl::unexpected(
            denied("needs a certificate of this manager, or the token of an invitation for this agent"));
    }
    auto known = **invitation;
    if (now >= known.until) {
        return tl::unexpected(denied("the invitation has expired"));
    }
    if (!known.key.empty() && known.key != *key) {
        return tl::unexpected(denied("the token has been used: invite the agent again"));
    }
    known.key = *key;
    manager_.take_access(std::move(known));
    return {};
}

Result<std::string> Enrolment::revoke(std::string_view agent, const std::string& who, WallTime now)
{
    manager_.take_access(manager::Revocation{std::string{agent}, now});
    manager_.audit({now, who, "certificates_revoked", std::string{agent}, "allowed"});
    return codec::revocation_json(agent, now);
}

}  // namespace petrel::api
