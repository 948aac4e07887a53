// How an agent gets its certificate for a manager, and a new one in time. The file has the key and the certificate, and
// is replaced in one step. Requests block: for commands, and for a worker.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "http_client/client.hpp"

namespace petrel::enrolment {

// With the token of an invitation. A process that is killed on the way leaves FILE.key; the next call uses that key, so
// the manager accepts the token again.
Result<void> enrol(http_client::Client&, const std::filesystem::path& file, const std::string& agent,
                   const std::string& token);

// If a third of its time or less is left. True: the file has a new certificate.
Result<bool> renew(http_client::Client&, const std::filesystem::path& file, const std::string& agent, WallTime now);

}  // namespace petrel::enrolment
