// Requests and answers of the manager about certificates of agents, for both sides: docs/manager.md.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::codec {

// {"hours":24}: how long an invitation is valid.
Result<std::chrono::hours> read_invitation(std::string_view body);
std::string invitation_request_json(std::chrono::hours life);
std::string invitation_json(std::string_view agent, std::string_view token, WallTime until);
Result<std::string> read_invitation_token(std::string_view answer);

std::string certificate_json(std::string_view certificate, WallTime until);
Result<std::string> read_certificate_answer(std::string_view answer);  // the certificate

std::string revocation_json(std::string_view agent, WallTime at);

}  // namespace petrel::codec
