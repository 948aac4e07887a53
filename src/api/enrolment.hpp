// Certificates for agents: an operator invites an agent, which then gets a certificate with the token of the
// invitation, and later a new one with the certificate that it has. All calls are made in the loop's thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "certificates/certificates.hpp"
#include "manager/manager.hpp"

namespace petrel::api {

class Enrolment {
public:
    static constexpr std::chrono::hours kLifeOfCertificate{24 * 30};

    Enrolment(manager::Manager& manager, certificates::Issuer issuer) : manager_(manager), issuer_(std::move(issuer)) {}

    // They prepare what the next commit of the manager stores, and return the answer for the case that it succeeds.
    // Refused: ErrorKind::invalid, denied.
    Result<std::string> invite(std::string_view agent, std::string_view body, const std::string& who, WallTime now);
    // `shown`: the name in the certificate of the client; empty: it has none. `token`: else, that of an invitation.
    Result<std::string> certify(std::string_view agent, std::string_view request, std::string_view shown,
                                std::string_view token, const std::string& who, WallTime now);
    Result<std::string> revoke(std::string_view agent, const std::string& who, WallTime now);

private:
    Result<void> admit(std::string_view agent, std::string_view request, std::string_view token, WallTime now);

    manager::Manager& manager_;
    certificates::Issuer issuer_;
};

}  // namespace petrel::api
