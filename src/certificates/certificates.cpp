#include "certificates/certificates.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>

namespace petrel::certificates {

namespace {

template <auto free_it>
struct Free {
    template <class T>
    void operator()(T* given) const
    {
        free_it(given);
    }
};

using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Request = std::unique_ptr<X509_REQ, Free<X509_REQ_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Name = std::unique_ptr<X509_NAME, Free<X509_NAME_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;

constexpr std::size_t kLongestText = std::size_t{64} * 1024;
constexpr std::chrono::hours kIssuerLife{24 * 365 * 20};
// A clock of another machine may be this far behind.
constexpr std::chrono::minutes kClockError{10};

Error failure(ErrorKind kind, std::string_view what)
{
    ::ERR_clear_error();
    return {kind, std::string{what}};
}

auto failed(ErrorKind kind, std::string_view what) { return tl::unexpected(failure(kind, what)); }

Memory reader(std::string_view text)
{
    return Memory{text.size() <= kLongestText ? ::BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))
                                              : ::BIO_new(::BIO_s_mem())};
}

template <class Write>
Result<std::string> written(const Write& write)
{
    const Memory memory{::BIO_new(::BIO_s_mem())};
    char* text = nullptr;
    if (!memory || write(memory.get()) != 1) {
        return failed(ErrorKind::invalid, "the PEM text cannot be written");
    }
    const auto size = ::BIO_get_mem_data(memory.get(), &text);
    return std::string{text, static_cast<std::size_t>(size)};
}

Result<Key> read_key(std::string_view text)
{
    Key key{::PEM_read_bio_PrivateKey(reader(text).get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr)};
    if (!key) {
        return failed(ErrorKind::invalid, "not a private key in PEM without a password");
    }
    return key;
}

Result<Request> read_request(std::string_view text)
{
    Request request{::PEM_read_bio_X509_REQ(reader(text).get(), nullptr, nullptr, nullptr)};
    if (!request) {
        return failed(ErrorKind::invalid, "not a certificate request in PEM");
    }
    if (::X509_REQ_verify(request.get(), ::X509_REQ_get0_pubkey(request.get())) != 1) {
        return failed(ErrorKind::invalid, "the request is not signed with its own key");
    }
    return request;
}

Result<Certificate> read_certificate(std::string_view text)
{
    Certificate certificate{::PEM_read_bio_X509(reader(text).get(), nullptr, nullptr, nullptr)};
    if (!certificate) {
        return failed(ErrorKind::invalid, "not a certificate in PEM");
    }
    return certificate;
}

Result<Key> new_key()
{
    Key key{::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")};  // EVP_EC_gen() casts const away
    if (!key) {
        return failed(ErrorKind::unreachable, "no key can be made");
    }
    return key;
}

// Longer names than the 64 bytes of RFC 5280 are allowed, as OpenSSL itself allows them with this call.
Result<Name> name_of(std::string_view name)
{
    Name made{::X509_NAME_new()};
    const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
    std::unique_ptr<ASN1_OBJECT, Free<ASN1_OBJECT_free>> common{::OBJ_nid2obj(NID_commonName)};
    std::unique_ptr<X509_NAME_ENTRY, Free<X509_NAME_ENTRY_free>> entry{::X509_NAME_ENTRY_create_by_OBJ(
        nullptr, common.get(), V_ASN1_UTF8STRING, bytes, static_cast<int>(name.size()))};
    if (!made || !entry || name.empty() || ::X509_NAME_add_entry(made.get(), entry.get(), -1, 0) != 1) {
        return failed(ErrorKind::invalid, fmt::format("'{}' cannot be the name in a certificate", name));
    }
    return made;
}

WallTime time_of(const ASN1_TIME* given)
{
    std::tm parts{};
    return ::ASN1_TIME_to_tm(given, &parts) == 1 ? WallTime{std::chrono::seconds{::timegm(&parts)}} : WallTime{};
}

std::time_t seconds_of(WallTime at)
{
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

// The time in microseconds, then random bytes.
constexpr std::size_t kTimeBytes = 8;
using Serial = std::array<unsigned char, 2 * kTimeBytes>;

Serial serial_of(WallTime now)
{
    Serial serial{};
    ::RAND_bytes(serial.data(), serial.size());
    auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(now.time_since_epoch().count(), 0));
    for (std::size_t i = kTimeBytes; i-- > 0; us >>= 8U) {
        serial[i] = static_cast<unsigned char>(us & 0xffU);
    }
    return serial;
}

WallTime time_in(const ASN1_INTEGER* given)
{
    Serial serial{};
    const std::unique_ptr<BIGNUM, Free<BN_free>> number{::ASN1_INTEGER_to_BN(given, nullptr)};
    if (!number || ::BN_bn2binpad(number.get(), serial.data(), serial.size()) < 0) {
        return {};
    }
    std::uint64_t us = 0;
    for (std::size_t i = 0; i < kTimeBytes; ++i) {
        us = us << 8U | serial[i];
    }
    return WallTime{std::chrono::microseconds{static_cast<std::int64_t>(us & INT64_MAX)}};
}

bool add_extension(X509* certificate, int nid, const char* value)
{
    const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension{
        ::X509V3_EXT_conf_nid(nullptr, nullptr, nid, value)};
    return extension && ::X509_add_ext(certificate, extension.get(), -1) == 1;
}

struct Content {
    std::string_view name;
    const X509_NAME* issuer{};  // null: itself
    EVP_PKEY* key{};
    WallTime now;
    WallTime until;
    bool issues{};  // it may issue others
};

Result<Certificate> make_certificate(const Content& content, EVP_PKEY* signs)
{
    auto name = name_of(content.name);
    if (!name) {
        return tl::unexpected(name.error());
    }
    Certificate made{::X509_new()};
    auto* certificate = made.get();
    auto serial = serial_of(content.now);
    const std::unique_ptr<BIGNUM, Free<BN_free>> number{::BN_bin2bn(serial.data(), serial.size(), nullptr)};
    const bool good =
        certificate != nullptr && number && ::X509_set_version(certificate, X509_VERSION_3) == 1 &&
        ::BN_to_ASN1_INTEGER(number.get(), ::X509_get_serialNumber(certificate)) != nullptr &&
        ::X509_set_subject_name(certificate, name->get()) == 1 &&
        ::X509_set_issuer_name(certificate, content.issuer == nullptr ? name->get() : content.issuer) == 1 &&
        ::ASN1_TIME_set(::X509_getm_notBefore(certificate), seconds_of(content.now - kClockError)) != nullptr &&
        ::ASN1_TIME_set(::X509_getm_notAfter(certificate), seconds_of(content.until)) != nullptr &&
        ::X509_set_pubkey(certificate, content.key) == 1 &&
        add_extension(certificate, NID_basic_constraints, content.issues ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
        add_extension(certificate, NID_key_usage,
                      content.issues ? "critical,keyCertSign" : "critical,digitalSignature") &&
        (content.issues || add_extension(certificate, NID_ext_key_usage, "clientAuth")) &&
        ::X509_sign(certificate, signs, ::EVP_sha256()) > 0;
    if (!good) {
        return failed(ErrorKind::invalid, "the certificate cannot be made");
    }
    return made;
}

Result<std::string> pem_of(X509* certificate)
{
    return written([&](BIO* to) { return ::PEM_write_bio_X509(to, certificate); });
}

Identity identity_in(const X509* certificate)
{
    Identity found;
    auto* subject = ::X509_get_subject_name(certificate);
    const auto at = ::X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (at >= 0) {
        const auto* text = ::X509_NAME_ENTRY_get_data(::X509_NAME_get_entry(subject, at));
        found.name = {reinterpret_cast<const char*>(::ASN1_STRING_get0_data(text)),
                      static_cast<std::size_t>(::ASN1_STRING_length(text))};
    }
    found.issued = time_in(::X509_get0_serialNumber(certificate));
    found.until = time_of(::X509_get0_notAfter(certificate));
    return found;
}

std::string hexadecimal(std::span<const unsigned char> bytes)
{
    std::string text;
    for (const auto byte : bytes) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

std::string digest_of(const void* bytes, std::size_t size)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> result{};
    unsigned length = 0;
    ::EVP_Digest(bytes, size, result.data(), &length, ::EVP_sha256(), nullptr);
    return hexadecimal(std::span{result}.first(length));
}

}  // namespace

Result<Issuer> make_issuer(std::string_view name, WallTime now)
{
    const auto key = new_key();
    if (!key) {
        return tl::unexpected(key.error());
    }
    return make_certificate({name, nullptr, key->get(), now, now + kIssuerLife, true}, key->get())
        .and_then([](const Certificate& made) { return pem_of(made.get()); })
        .and_then([&](const std::string& certificate) {
            return written([&](BIO* to) {
                       return ::PEM_write_bio_PrivateKey(to, key->get(), nullptr, nullptr, 0, nullptr, nullptr);
                   })
                .map([&](const std::string& text) { return Issuer{certificate, text}; });
        });
}

Result<std::string> make_key()
{
    return new_key().and_then([](const Key& key) {
        return written(
            [&](BIO* to) { return ::PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    });
}

Result<std::string> make_request(std::string_view key_text, std::string_view name_text)
{
    const auto key = read_key(key_text);
    const auto name = name_of(name_text);
    if (!key || !name) {
        return tl::unexpected(!key ? key.error() : name.error());
    }
    const Request request{::X509_REQ_new()};
    if (!request || ::X509_REQ_set_subject_name(request.get(), name->get()) != 1 ||
        ::X509_REQ_set_pubkey(request.get(), key->get()) != 1 ||
        ::X509_REQ_sign(request.get(), key->get(), ::EVP_sha256()) <= 0) {
        return failed(ErrorKind::invalid, "the certificate request cannot be made");
    }
    return written([&](BIO* to) { return ::PEM_write_bio_X509_REQ(to, request.get()); });
}

Result<std::string> key_digest(std::string_view request)
{
    return read_request(request).map([](const Request& read) {
        unsigned char* der = nullptr;
        const auto size = ::i2d_X509_PUBKEY(::X509_REQ_get_X509_PUBKEY(read.get()), &der);
        const std::unique_ptr<unsigned char, Free<[](unsigned char* bytes) { OPENSSL_free(bytes); }>> held{der};
        return digest_of(der, static_cast<std::size_t>(std::max(size, 0)));
    });
}

Result<std::string> issue(const Issuer& issuer, std::string_view request_text, std::string_view name, WallTime now,
                          Duration life)
{
    const auto own = read_certificate(issuer.certificate);
    const auto key = read_key(issuer.key);
    if (!own || !key) {
        return tl::unexpected(!own ? own.error() : key.error());
    }
    return read_request(request_text)
        .and_then([&](const Request& request) {
            const auto until = now + std::chrono::duration_cast<std::chrono::microseconds>(life);
            return make_certificate(
                {name, ::X509_get_subject_name(own->get()), ::X509_REQ_get0_pubkey(request.get()), now, until, false},
                key->get());
        })
        .and_then([](const Certificate& made) { return pem_of(made.get()); });
}

Result<Identity> identity(std::string_view certificate)
{
    return read_certificate(certificate).map([](const Certificate& read) { return identity_in(read.get()); });
}

Result<Identity> verify(std::string_view issuer_certificate, std::string_view der, WallTime now)
{
    const auto own = read_certificate(issuer_certificate);
    if (!own) {
        return tl::unexpected(own.error());
    }
    const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
    const Certificate shown{::d2i_X509(nullptr, &begin, static_cast<long>(der.size()))};
    if (!shown || ::X509_check_issued(own->get(), shown.get()) != X509_V_OK ||
        ::X509_verify(shown.get(), ::X509_get0_pubkey(own->get())) != 1) {
        return failed(ErrorKind::denied, "this manager did not issue the certificate");
    }
    auto found = identity_in(shown.get());
    if (now < time_of(::X509_get0_notBefore(shown.get())) || now >= found.until) {
        return failed(ErrorKind::denied, fmt::format("the certificate of '{}' is not valid at this time", found.name));
    }
    return found;
}

std::string digest(std::string_view text) { return digest_of(text.data(), text.size()); }

}  // namespace petrel::certificates
