#include "http/server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "http/stream.hpp"
#include "http/visitors.hpp"

namespace petrel::http {

namespace {

constexpr std::size_t kMemoryPerConnection = std::size_t{32} * 1024;
constexpr std::size_t kStreamBlock = std::size_t{32} * 1024;
constexpr auto kTlsVersions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
constexpr std::size_t kDiscarded = 4;  // times the largest body: bytes that a client may send in vain

MHD_Result collect(void* into, MHD_ValueKind kind, const char* name, const char* value) noexcept
{
    auto& request = *static_cast<Request*>(into);
    try {
        std::string key{name};
        if (kind == MHD_HEADER_KIND) {
            std::transform(key.begin(), key.end(), key.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
            request.headers[key] = value == nullptr ? "" : value;
        } else {
            request.query[key] = value == nullptr ? "" : value;
        }
    } catch (const std::exception&) {
        return MHD_NO;
    }
    return MHD_YES;
}

std::string certificate_of(MHD_Connection* connection)
{
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    unsigned count = 0;
    const auto* shown = info == nullptr || info->tls_session == nullptr
                            ? nullptr
                            : ::gnutls_certificate_get_peers(static_cast<gnutls_session_t>(info->tls_session), &count);
    return shown == nullptr || count == 0 ? std::string{}
                                          : std::string{reinterpret_cast<const char*>(shown->data), shown->size};
}

ssize_t take_block(void* stream, std::uint64_t, char* into, std::size_t most) noexcept
{
    try {
        return (*static_cast<std::shared_ptr<Stream>*>(stream))->take(into, most);
    } catch (const std::exception&) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
}

void free_stream(void* stream) noexcept { delete static_cast<std::shared_ptr<Stream>*>(stream); }

}  // namespace

struct Server::Http {
    // A request under way: its body arrives, then it waits for the answer, suspended.
    struct Exchange {
        MHD_Connection* connection{};
        Request request;
        std::size_t body_seen{};
        bool too_large{};
        bool overloaded{};
        bool handed_over{};

        std::mutex mutex;
        bool waits{};
        bool closed{};
        std::optional<Answer> answer;
        std::shared_ptr<Stream> stream;
    };

    static void reply_to(Exchange& exchange, Answer answer)
    {
        const std::lock_guard lock{exchange.mutex};
        if (exchange.closed || exchange.answer) {
            return;
        }
        exchange.answer = std::move(answer);
        if (exchange.waits) {
            exchange.waits = false;
            MHD_resume_connection(exchange.connection);
        }
    }

    using ExchangePointer = std::shared_ptr<Exchange>;

    Http(ServerOptions given, Handlers what)
        : options(std::move(given)), handlers(std::move(what)), visitors(options.most_connections)
    {}
    ~Http()
    {
        if (daemon == nullptr) {
            return;
        }
        stopping = true;
        const auto listening = MHD_quiesce_daemon(daemon);
        std::set<ExchangePointer> all;
        {
            const std::lock_guard lock{mutex};
            all = exchanges;
        }
        for (const auto& exchange : all) {
            reply_to(*exchange, handlers.refuse(MHD_HTTP_SERVICE_UNAVAILABLE, "the manager stops"));
            const std::lock_guard lock{exchange->mutex};
            if (exchange->stream) {
                exchange->stream->end();
            }
        }
        MHD_stop_daemon(daemon);
        const runtime::FileDescriptor closed{listening};
    }
    Http(const Http&) = delete;
    Http& operator=(const Http&) = delete;

    MHD_Result begin(MHD_Connection* connection, const char* path, const char* method, void** state)
    {
        auto exchange = std::make_shared<Exchange>();
        exchange->connection = connection;
        auto& request = exchange->request;
        request.method = method;
        request.path = path;
        request.client = address_of(connection);
        if (options.tls && !options.tls->clients.empty()) {
            request.certificate = certificate_of(connection);
        }
        MHD_get_connection_values(connection, MHD_HEADER_KIND, &collect, &request);
        MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &collect, &request);
        {
            const std::lock_guard lock{mutex};
            exchanges.insert(exchange);
        }
        *state = new ExchangePointer{exchange};
        if (stopping) {
            return send(*exchange, handlers.refuse(MHD_HTTP_SERVICE_UNAVAILABLE, "the manager stops"));
        }
        if (auto refused = refusal(request)) {
            return send(*exchange, std::move(*refused));
        }
        return MHD_YES;
    }

    std::optional<Answer> refusal(const Request& request) const
    {
        if (auto refused = handlers.admit(request)) {
            refused->headers.emplace_back(MHD_HTTP_HEADER_CONNECTION, "close");
            return refused;
        }
        const auto length = request.header("content-length");
        std::uint64_t bytes = 0;
        const auto read = std::from_chars(length.data(), length.data() + length.size(), bytes);
        if (!length.empty() && (read.ec != std::errc{} || bytes > options.most_body)) {
            return body_too_large(length);
        }
        return std::nullopt;
    }

    Answer body_too_large(std::string_view size) const
    {
        auto answer = handlers.refuse(MHD_HTTP_CONTENT_TOO_LARGE,
                                      fmt::format("a body of {} bytes: allowed {}", size, options.most_body));
        answer.headers.emplace_back(MHD_HTTP_HEADER_CONNECTION, "close");
        return answer;
    }

    // False: close the connection.
    bool add_body(Exchange& exchange, std::string_view piece)
    {
        exchange.body_seen += piece.size();
        if (exchange.body_seen > options.most_body) {
            exchange.too_large = true;
            drop_body(exchange);
            return exchange.body_seen <= kDiscarded * options.most_body;
        }
        if (!exchange.overloaded && bodies + piece.size() > options.most_bodies) {
            exchange.overloaded = true;
            drop_body(exchange);
        }
        if (!exchange.overloaded) {
            bodies += piece.size();
            exchange.request.body += piece;
        }
        return true;
    }

    void drop_body(Exchange& exchange)
    {
        bodies -= exchange.request.body.size();
        exchange.request.body = {};
    }

    MHD_Result hand_over(const ExchangePointer& exchange)
    {
        exchange->handed_over = true;
        if (exchange->too_large) {
            return send(*exchange, body_too_large(std::to_string(exchange->body_seen)));
        }
        if (exchange->overloaded) {
            return send(*exchange, handlers.refuse(MHD_HTTP_SERVICE_UNAVAILABLE, "too many requests under way"));
        }
        bodies -= exchange->request.body.size();
        handlers.handle(std::exchange(exchange->request, {}),
                        [exchange](Answer answer) { reply_to(*exchange, std::move(answer)); });
        const std::lock_guard lock{exchange->mutex};
        if (!exchange->answer) {
            exchange->waits = true;
            MHD_suspend_connection(exchange->connection);
            return MHD_YES;
        }
        return send(*exchange, std::move(*exchange->answer));
    }

    MHD_Result send(Exchange& exchange, Answer answer)
    {
        MHD_Response* response = nullptr;
        if (answer.streams) {
            exchange.stream = std::make_shared<Stream>(exchange.connection, std::move(answer.body), answer.drained);
            response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlock, &take_block,
                                                         new std::shared_ptr<Stream>{exchange.stream}, &free_stream);
        } else {
            response = MHD_create_response_from_buffer(answer.body.size(), answer.body.data(), MHD_RESPMEM_MUST_COPY);
        }
        if (response == nullptr) {
            return MHD_NO;
        }
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type.c_str());
        for (const auto& [name, value] : answer.headers) {
            MHD_add_response_header(response, name.c_str(), value.c_str());
        }
        const auto queued = MHD_queue_response(exchange.connection, answer.status, response);
        MHD_destroy_response(response);
        if (queued == MHD_YES && answer.streams) {
            answer.streams(exchange.stream);
            if (stopping) {
                exchange.stream->end();
            }
        }
        return queued;
    }

    // Called by C code: must not throw.
    static MHD_Result on_request(void* http, MHD_Connection* connection, const char* path, const char* method,
                                 const char*, const char* upload, std::size_t* size, void** state) noexcept
    {
        auto& self = *static_cast<Http*>(http);
        try {
            if (*state == nullptr) {
                return self.begin(connection, path, method, state);
            }
            const auto exchange = *static_cast<ExchangePointer*>(*state);
            if (*size > 0) {
                const std::string_view piece{upload, *size};
                *size = 0;
                return self.add_body(*exchange, piece) ? MHD_YES : MHD_NO;
            }
            if (!exchange->handed_over) {
                return self.hand_over(exchange);
            }
            const std::lock_guard lock{exchange->mutex};
            return exchange->answer ? self.send(*exchange, std::move(*exchange->answer)) : MHD_NO;
        } catch (const std::exception&) {
            return MHD_NO;
        }
    }

    static void on_end(void* http, MHD_Connection*, void** state, MHD_RequestTerminationCode) noexcept
    {
        auto& self = *static_cast<Http*>(http);
        const auto* held = static_cast<ExchangePointer*>(*state);
        if (held == nullptr) {
            return;
        }
        self.drop_body(**held);
        {
            const std::lock_guard lock{(*held)->mutex};
            (*held)->closed = true;
            if ((*held)->stream) {
                (*held)->stream->end();
            }
        }
        {
            const std::lock_guard lock{self.mutex};
            self.exchanges.erase(*held);
        }
        delete held;
        *state = nullptr;
    }

    static void on_connection(void* http, MHD_Connection* connection, void**,
                              MHD_ConnectionNotificationCode what) noexcept
    {
        auto& visitors = static_cast<Http*>(http)->visitors;
        what == MHD_CONNECTION_NOTIFY_STARTED ? visitors.arrived(connection) : visitors.left(connection);
    }

    ServerOptions options;
    Handlers handlers;
    Visitors visitors;
    std::size_t bodies{};  // bytes; used by the library's thread only
    std::atomic<bool> stopping{};
    std::mutex mutex;  // guards exchanges
    std::set<ExchangePointer> exchanges;
    MHD_Daemon* daemon{};
};

Result<std::unique_ptr<Server>> Server::start(runtime::FileDescriptor listening, ServerOptions options,
                                              Handlers handlers)
{
    auto http = std::make_unique<Http>(std::move(options), std::move(handlers));
    const auto& tls = http->options.tls;
    const auto item = [](MHD_OPTION option, std::intptr_t value, void* pointer) {
        return MHD_OptionItem{option, value, pointer};
    };
    std::vector<MHD_OptionItem> more;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    if (tls) {
        flags |= MHD_USE_TLS;
        more.push_back(item(MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(tls->certificate.c_str())));
        more.push_back(item(MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(tls->key.c_str())));
        more.push_back(item(MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)));
        if (!tls->clients.empty()) {
            more.push_back(item(MHD_OPTION_HTTPS_MEM_TRUST, 0, const_cast<char*>(tls->clients.c_str())));
        }
    }
    more.push_back(item(MHD_OPTION_END, 0, nullptr));
    // The library closes the socket that it gets, so it gets a duplicate.
    http->daemon = MHD_start_daemon(
        flags, 0, nullptr, nullptr, &Http::on_request, http.get(), MHD_OPTION_LISTEN_SOCKET,
        ::fcntl(listening.get(), F_DUPFD_CLOEXEC, 0), MHD_OPTION_CONNECTION_LIMIT, http->visitors.limit_of_library(),
        MHD_OPTION_CONNECTION_TIMEOUT, http->options.most_silence_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        kMemoryPerConnection, MHD_OPTION_NOTIFY_CONNECTION, &Http::on_connection, http.get(),
        MHD_OPTION_NOTIFY_COMPLETED, &Http::on_end, http.get(), MHD_OPTION_ARRAY, more.data(), MHD_OPTION_END);
    if (http->daemon == nullptr) {
        return tl::unexpected(
            Error{ErrorKind::invalid, tls ? "the HTTPS listener does not start: are certificate and key "
                                            "PEM files that belong together?"
                                          : "the HTTP listener does not start"});
    }
    return std::unique_ptr<Server>{new Server{std::move(http)}};
}

Server::Server(std::unique_ptr<Http> http) : http_(std::move(http)) {}

Server::~Server() = default;

}  // namespace petrel::http
