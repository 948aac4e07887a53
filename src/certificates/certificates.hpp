// Certificates of agents: the agent makes a key and a request, the manager issues a certificate for a name, and finds
// out later who shows it. Keys are on the curve P-256; all texts are PEM. certificates.cpp is the only file that uses
// the library behind it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace petrel::certificates {

struct Issuer {
    std::string certificate;
    std::string key;
};

// The manager's own, for a new installation.
Result<Issuer> make_issuer(std::string_view name, WallTime now);

Result<std::string> make_key();

// Shows that its sender has the key. The name in it is for display: the issuer decides the name.
Result<std::string> make_request(std::string_view key, std::string_view name);

// Identifies the key of a request.
Result<std::string> key_digest(std::string_view request);

// A certificate for clients with this name, from now on. Two certificates of an issuer have different times.
Result<std::string> issue(const Issuer&, std::string_view request, std::string_view name, WallTime now, Duration life);

struct Identity {
    std::string name;
    WallTime issued;  // to the microsecond, if this issuer issued it: in its serial number
    WallTime until;
    bool operator==(const Identity&) const = default;
};

// The first certificate in a PEM text.
Result<Identity> identity(std::string_view certificate);

// The identity in a certificate (DER) that this issuer issued and that is valid now.
Result<Identity> verify(std::string_view issuer_certificate, std::string_view der, WallTime now);

// SHA-256 as hexadecimal digits.
std::string digest(std::string_view text);

}  // namespace petrel::certificates
