#include "http_client/client.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <system_error>
#include <utility>

namespace petrel::http_client {
namespace {

using std::chrono::seconds;

constexpr seconds kLongestRetryAfter{3600};
constexpr seconds kLongestConnect{5};

// The socket of the request under way, so that another thread can end it. It is a duplicate: the library closes its own
// at any time, and another file may then get that number.
class SocketInUse {
public:
    SocketInUse() = default;
    ~SocketInUse() { close(); }
    SocketInUse(const SocketInUse&) = delete;
    SocketInUse& operator=(const SocketInUse&) = delete;

    void begin()
    {
        const std::lock_guard lock{mutex_};
        cancelled_ = false;
    }
    void opened(int file)
    {
        const std::lock_guard lock{mutex_};
        close();
        file_ = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
        if (cancelled_) {
            ::shutdown(file_, SHUT_RDWR);
        }
    }
    void cancel()
    {
        const std::lock_guard lock{mutex_};
        cancelled_ = true;
        if (file_ >= 0) {
            ::shutdown(file_, SHUT_RDWR);
        }
    }
    bool cancelled()
    {
        const std::lock_guard lock{mutex_};
        return cancelled_;
    }

private:
    void close()
    {
        if (file_ >= 0) {
            ::close(std::exchange(file_, -1));
        }
    }

    std::mutex mutex_;
    int file_{-1};
    bool cancelled_{};
};

Error error_of(const Endpoint& to, httplib::Error why, bool cancelled)
{
    const auto host = fmt::format("{}:{}", to.host, to.port);
    const auto trusted = to.ca_file.empty() ? "the machine's certificates" : to.ca_file.string();
    if (cancelled) {
        return {ErrorKind::timed_out, fmt::format("{}: no complete answer in time", host)};
    }
    switch (why) {
    case httplib::Error::Connection: return {ErrorKind::unreachable, fmt::format("cannot connect to {}", host)};
    case httplib::Error::ConnectionTimeout:
        return {ErrorKind::timed_out, fmt::format("{} does not accept a connection in time", host)};
    case httplib::Error::SSLConnection:
        return {ErrorKind::unreachable, fmt::format("{} does not speak TLS with us", host)};
    case httplib::Error::SSLLoadingCerts: return {ErrorKind::invalid, fmt::format("{} holds no certificates", trusted)};
    case httplib::Error::SSLServerVerification:
        return {ErrorKind::denied,
                fmt::format("the certificate of {} is not trusted: it needs that name, and an issuer in {}", host,
                            trusted)};
    default: return {ErrorKind::unreachable, fmt::format("{} ended the connection without an answer", host)};
    }
}

std::optional<Duration> retry_after(const httplib::Response& response)
{
    const auto text = response.get_header_value("Retry-After");
    std::int64_t number{};
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc{} || stop != end || number < 0) {
        return std::nullopt;  // a date is not used: it would need both clocks to agree
    }
    return std::min(seconds{number}, kLongestRetryAfter);
}

class HttplibClient final : public Client {
public:
    explicit HttplibClient(Endpoint to) : to_(std::move(to)) { connect(); }

    Result<Response> send(const Request& request) override { return exchange(request, {}); }

    Result<Response> receive(const Request& request, const Take& take) override { return exchange(request, take); }

    void cancel() override { socket_.cancel(); }

private:
    void connect()
    {
        if (to_.tls) {
            const auto own = to_.certificate_file.string();
            client_ = std::make_unique<httplib::SSLClient>(to_.host, to_.port, own, own);
        } else {
            client_ = std::make_unique<httplib::ClientImpl>(to_.host, to_.port);
        }
        client_->set_keep_alive(true);
        client_->set_socket_options([this](socket_t file) {
            httplib::default_socket_options(file);
            socket_.opened(file);
        });
        if (to_.tls) {
            client_->enable_server_certificate_verification(true);
            if (!to_.ca_file.empty()) {
                client_->set_ca_cert_path(to_.ca_file.string());
            }
        }
    }

    // The library reads our certificate once; its file is replaced from time to time.
    void use_new_certificate()
    {
        std::error_code absent;
        const auto written = std::filesystem::last_write_time(to_.certificate_file, absent);
        if (!to_.certificate_file.empty() && std::exchange(certificate_of_, written) != written) {
            connect();
        }
    }

    Result<Response> exchange(const Request& request, const Take& take)
    {
        use_new_certificate();
        if (!client_->is_valid()) {
            return tl::unexpected(
                to_.certificate_file.empty()
                    ? error_of(to_, httplib::Error::SSLConnection, false)
                    : Error{ErrorKind::invalid,
                            fmt::format("{} does not hold a certificate and its key", to_.certificate_file.string())});
        }
        client_->set_connection_timeout(std::min<Duration>(request.within, kLongestConnect));
        client_->set_read_timeout(request.within);
        client_->set_write_timeout(request.within);
        std::string body;
        bool too_large = false;
        httplib::Request sent;
        sent.method = request.body ? "POST" : "GET";
        sent.path = request.path;
        sent.set_header("Accept", "application/json, application/problem+json, text/event-stream");
        if (!request.token.empty()) {
            sent.set_header("Authorization", "Bearer " + request.token);
        }
        if (request.body) {
            sent.set_header("Content-Type", std::string{request.content_type});
            sent.body = *request.body;
        }
        int status = 0;
        sent.response_handler = [&](const httplib::Response& response) {
            status = response.status;
            return true;
        };
        sent.content_receiver = [&](const char* data, std::size_t size, std::uint64_t, std::uint64_t) {
            if (take && status == 200) {
                return take({data, size});
            }
            too_large = body.size() + size > kLargestBody;
            if (!too_large) {
                body.append(data, size);
            }
            return !too_large;
        };
        socket_.begin();
        httplib::Response received;
        auto error = httplib::Error::Success;
        const bool good = client_->send(sent, received, error);
        const bool cancelled = socket_.cancelled();
        if (too_large) {
            return tl::unexpected(Error{ErrorKind::corrupt, fmt::format("{}:{} answers with more than {} bytes",
                                                                        to_.host, to_.port, kLargestBody)});
        }
        const bool ended_by_us = take && status == 200 && error == httplib::Error::Canceled;
        if (!good && !ended_by_us) {
            return tl::unexpected(error_of(to_, error, cancelled));
        }
        return Response{status, received.get_header_value("Content-Type"), std::move(body), retry_after(received)};
    }

    Endpoint to_;
    SocketInUse socket_;
    std::filesystem::file_time_type certificate_of_{};
    std::unique_ptr<httplib::ClientImpl> client_;
};

}  // namespace

std::unique_ptr<Client> make_client(Endpoint to) { return std::make_unique<HttplibClient>(std::move(to)); }

}  // namespace petrel::http_client
