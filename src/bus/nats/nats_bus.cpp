#include "bus/nats/nats_bus.hpp"

#include <fmt/format.h>
#include <nats/nats.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <string_view>
#include <utility>

namespace petrel::bus {
namespace {

constexpr auto kStream = "PETREL";
constexpr auto kLogSubject = "petrel.log";
constexpr auto kToldSubject = "petrel.told";
constexpr auto kMakesSubject = "petrel.makes";
constexpr auto kBucket = "petrel";

// A server that does not answer pings for kPing_ms * kPingsOut is left for another one.
constexpr std::int64_t kPing_ms = 2000;
constexpr int kPingsOut = 2;
constexpr std::int64_t kAnswer_ms = 2000;
constexpr std::int64_t kReconnect_ms = 250;
constexpr std::int64_t kAnnounce_ms = 200;
constexpr auto kCredentialsMark = "-----BEGIN NATS USER JWT-----";

template <class Object, void (*Free)(Object*)>
struct Freed {
    void operator()(Object* object) const { Free(object); }
};
template <class Object, void (*Free)(Object*)>
using Owned = std::unique_ptr<Object, Freed<Object, Free>>;

using OwnedOptions = Owned<natsOptions, natsOptions_Destroy>;
using OwnedConnection = Owned<natsConnection, natsConnection_Destroy>;
using OwnedContext = Owned<jsCtx, jsCtx_Destroy>;
using OwnedStore = Owned<kvStore, kvStore_Destroy>;
using OwnedEntry = Owned<kvEntry, kvEntry_Destroy>;
using OwnedMessage = Owned<natsMsg, natsMsg_Destroy>;
using OwnedStream = Owned<jsStreamInfo, jsStreamInfo_Destroy>;
using OwnedAck = Owned<jsPubAck, jsPubAck_Destroy>;
using OwnedSubscription = Owned<natsSubscription, natsSubscription_Destroy>;

// What the library and the server say about a call that failed.
Error nats_error(natsStatus status, const char* doing)
{
    natsStatus of{};
    const auto* last = nats_GetLastError(&of);
    const auto* more = last != nullptr && of == status ? last : "";
    const auto kind = status == NATS_TIMEOUT                                                  ? ErrorKind::timed_out
                      : status == NATS_NOT_PERMITTED || status == NATS_CONNECTION_AUTH_FAILED ? ErrorKind::denied
                                                                                              : ErrorKind::unreachable;
    return {kind, fmt::format("NATS, {}: {}{}{}", doing, natsStatus_GetText(status), *more == '\0' ? "" : ": ", more)};
}

Error wrong_option(const std::string& value, natsStatus status)
{
    return {ErrorKind::invalid, fmt::format("{}: {}", value, nats_error(status, "options").what)};
}

// The function that gets messages. The library's thread may be in it when the bus ends.
struct Ear {
    std::mutex mutex;
    std::function<void(std::string_view)> hears;
};
using SharedEar = std::shared_ptr<Ear>;

void hear(natsConnection*, natsSubscription*, natsMsg* message, void* closure)
{
    const OwnedMessage owned{message};
    auto& ear = **static_cast<SharedEar*>(closure);
    const std::lock_guard lock{ear.mutex};
    if (ear.hears) {
        ear.hears({natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))});
    }
}

void forget_ear(void* closure) { delete static_cast<SharedEar*>(closure); }

void ignore_connection(natsConnection*, void*) {}
void ignore_error(natsConnection*, natsSubscription*, natsStatus, void*) {}

class NatsBus final : public Bus {
public:
    NatsBus(NatsOptions options, OwnedConnection connection, OwnedContext context)
        : options_(std::move(options)), connection_(std::move(connection)), context_(std::move(context))
    {}
    ~NatsBus() override { NatsBus::listen({}); }
    NatsBus(const NatsBus&) = delete;
    NatsBus& operator=(const NatsBus&) = delete;

    Result<LogEnds> open() override
    {
        if (natsConnection_Status(connection_.get()) != NATS_CONN_STATUS_CONNECTED) {
            return tl::unexpected(Error{ErrorKind::unreachable, "NATS: no server is connected"});
        }
        const auto payload = natsConnection_GetMaxPayload(connection_.get());
        if (payload < static_cast<std::int64_t>(options_.largest_entry)) {
            return tl::unexpected(
                Error{ErrorKind::invalid, fmt::format("NATS: max_payload of the server is {}: allowed from {}, as in "
                                                      "'max_payload: 8MB'",
                                                      payload, options_.largest_entry)});
        }
        return ends().and_then(
            [&](const std::optional<LogEnds>& found) { return found ? Result<LogEnds>{*found} : make_log(); });
    }

    Result<Append> append(std::uint64_t number, std::string_view entry) override
    {
        jsPubOptions how;
        jsPubOptions_Init(&how);
        how.ExpectLastSeq = number - 1;
        how.ExpectNoMessage = number == 1;
        jsPubAck* ack = nullptr;
        jsErrCode why{};
        const auto status =
            js_Publish(&ack, context_.get(), kLogSubject, entry.data(), static_cast<int>(entry.size()), &how, &why);
        const OwnedAck owned{ack};
        if (why == JSStreamWrongLastSequenceErr) {
            return Append::refused;
        }
        if (status != NATS_OK) {
            return tl::unexpected(nats_error(status, "append to the log"));
        }
        if (owned->Sequence != number) {
            return tl::unexpected(Error{ErrorKind::corrupt, fmt::format("NATS: entry {} of the log got the number {}",
                                                                        number, owned->Sequence)});
        }
        return Append::stored;
    }

    Result<std::optional<std::string>> read(std::uint64_t number) override
    {
        natsMsg* message = nullptr;
        jsErrCode why{};
        const auto status = js_GetMsg(&message, context_.get(), kStream, number, nullptr, &why);
        const OwnedMessage owned{message};
        if (status == NATS_NOT_FOUND || why == JSNoMessageFoundErr) {
            return std::nullopt;
        }
        if (status != NATS_OK) {
            return tl::unexpected(nats_error(status, "read the log"));
        }
        return std::string{natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))};
    }

    Result<Cell> cell(const std::string& name) override
    {
        return bucket().and_then([&](kvStore* store) -> Result<Cell> {
            kvEntry* entry = nullptr;
            const auto status = kvStore_Get(&entry, store, name.c_str());
            const OwnedEntry owned{entry};
            if (status == NATS_NOT_FOUND) {
                return Cell{};
            }
            if (status != NATS_OK) {
                return tl::unexpected(nats_error(status, "read a cell"));
            }
            return Cell{
                kvEntry_Revision(entry),
                {static_cast<const char*>(kvEntry_Value(entry)), static_cast<std::size_t>(kvEntry_ValueLen(entry))}};
        });
    }

    Result<std::uint64_t> replace(const std::string& name, std::uint64_t revision, const std::string& text) override
    {
        return bucket().and_then([&](kvStore* store) -> Result<std::uint64_t> {
            std::uint64_t made = 0;
            const auto status = revision == 0
                                    ? kvStore_CreateString(&made, store, name.c_str(), text.c_str())
                                    : kvStore_UpdateString(&made, store, name.c_str(), text.c_str(), revision);
            if (status != NATS_OK) {
                return tl::unexpected(nats_error(status, "replace a cell"));
            }
            return made;
        });
    }

    void tell(std::string_view message) override
    {
        natsConnection_Publish(connection_.get(), kToldSubject, message.data(), static_cast<int>(message.size()));
    }

    void listen(std::function<void(std::string_view)> hears) override
    {
        if (!hears) {
            subscription_.reset();
            const std::lock_guard lock{ear_->mutex};
            ear_->hears = {};
            return;
        }
        {
            const std::lock_guard lock{ear_->mutex};
            ear_->hears = std::move(hears);
        }
        auto closure = std::make_unique<SharedEar>(ear_);
        natsSubscription* made = nullptr;
        if (natsConnection_Subscribe(&made, connection_.get(), kToldSubject, hear, closure.get()) == NATS_OK) {
            natsSubscription_SetOnCompleteCB(made, forget_ear, closure.release());
            subscription_.reset(made);
        }
    }

private:
    Result<std::optional<LogEnds>> ends() const
    {
        jsStreamInfo* info = nullptr;
        jsErrCode why{};
        const auto status = js_GetStreamInfo(&info, context_.get(), kStream, nullptr, &why);
        const OwnedStream owned{info};
        if (why == JSStreamNotFoundErr) {
            return std::nullopt;
        }
        if (status != NATS_OK) {
            return tl::unexpected(nats_error(status, "open the log"));
        }
        return ends_of(*info);
    }

    // If two requests to create a stream arrive at the same time, NATS 2.9 accepts both. The second one changes the
    // identity of the stream, and the subject on which a node that restarts asks for what it has missed. So the
    // managers that find no log announce themselves, and only the one with the smallest name creates the log.
    Result<void> wait_until_chosen()
    {
        std::random_device random;
        const auto me = fmt::format("{:08x}{:08x}", random(), random());
        natsSubscription* made = nullptr;
        auto status = natsConnection_SubscribeSync(&made, connection_.get(), kMakesSubject);
        const OwnedSubscription others{made};
        const auto end = std::chrono::steady_clock::now() + options_.choose;
        while (status == NATS_OK && std::chrono::steady_clock::now() < end) {
            status = natsConnection_PublishString(connection_.get(), kMakesSubject, me.c_str());
            natsMsg* message = nullptr;
            if (status == NATS_OK && natsSubscription_NextMsg(&message, made, kAnnounce_ms) == NATS_OK) {
                const OwnedMessage owned{message};
                if (std::string_view{natsMsg_GetData(message)} < me) {
                    return tl::unexpected(Error{ErrorKind::unreachable, "NATS: another manager makes the log"});
                }
            }
        }
        return status == NATS_OK ? Result<void>{} : tl::unexpected(nats_error(status, "make the log"));
    }

    Result<LogEnds> make_log()
    {
        if (const auto chosen = wait_until_chosen(); !chosen) {
            return tl::unexpected(chosen.error());
        }
        if (const auto found = ends(); !found || *found) {  // another manager was chosen before
            return found.map([](const auto& log) { return *log; });
        }
        if (const auto made = make_bucket(); !made) {
            return tl::unexpected(made.error());
        }
        jsStreamConfig config;
        jsStreamConfig_Init(&config);
        const char* subject = kLogSubject;
        config.Name = kStream;
        config.Subjects = &subject;
        config.SubjectsLen = 1;
        config.Storage = js_FileStorage;
        config.Replicas = options_.replicas;
        config.MaxBytes = options_.log_bytes;
        config.DenyDelete = true;
        jsStreamInfo* info = nullptr;
        const auto status = js_AddStream(&info, context_.get(), &config, nullptr, nullptr);
        const OwnedStream owned{info};
        if (status != NATS_OK) {
            return tl::unexpected(nats_error(status, "make the log"));
        }
        return ends_of(*info);
    }

    // Before the log: where there is a log, there is a bucket.
    Result<void> make_bucket()
    {
        kvConfig config;
        kvConfig_Init(&config);
        config.Bucket = kBucket;
        config.Replicas = static_cast<int>(options_.replicas);
        kvStore* made = nullptr;
        const auto status = js_CreateKeyValue(&made, context_.get(), &config);
        const OwnedStore owned{made};
        return status == NATS_OK ? Result<void>{} : tl::unexpected(nats_error(status, "make the cells"));
    }

    static LogEnds ends_of(const jsStreamInfo& info)
    {
        return {fmt::format("{}", info.Created), info.State.FirstSeq, info.State.LastSeq};
    }

    Result<kvStore*> bucket()
    {
        const std::lock_guard lock{bucket_mutex_};
        if (bucket_) {
            return bucket_.get();
        }
        kvStore* found = nullptr;
        const auto status = js_KeyValue(&found, context_.get(), kBucket);
        bucket_.reset(found);
        if (status != NATS_OK) {
            return tl::unexpected(nats_error(status, "open the cells"));
        }
        return found;
    }

    NatsOptions options_;
    OwnedConnection connection_;
    OwnedContext context_;
    std::mutex bucket_mutex_;
    OwnedStore bucket_;
    SharedEar ear_{std::make_shared<Ear>()};
    OwnedSubscription subscription_;
};

Result<void> use_credentials(natsOptions* to, const std::string& file)
{
    std::ifstream input{file, std::ios::binary};
    std::string text{std::istreambuf_iterator{input}, {}};
    if (!input) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{} cannot be read", file)});
    }
    natsStatus status = NATS_OK;
    if (text.find(kCredentialsMark) != text.npos) {
        status = natsOptions_SetUserCredentialsFromFiles(to, file.c_str(), nullptr);
    } else {
        text.resize(std::min(text.find_first_of("\r\n"), text.size()));
        const auto colon = text.find(':');
        if (colon == text.npos || colon == 0) {
            return tl::unexpected(Error{
                ErrorKind::invalid, fmt::format("{}: allowed a line USER:PASSWORD, or a .creds file of NATS", file)});
        }
        status = natsOptions_SetUserInfo(to, text.substr(0, colon).c_str(), text.substr(colon + 1).c_str());
    }
    return status == NATS_OK ? Result<void>{} : tl::unexpected(wrong_option(file, status));
}

}  // namespace

Result<std::unique_ptr<Bus>> connect_to_nats(const NatsOptions& options)
{
    natsOptions* made = nullptr;
    if (const auto status = natsOptions_Create(&made); status != NATS_OK) {
        return tl::unexpected(nats_error(status, "begin"));
    }
    const OwnedOptions how{made};
    std::vector<const char*> servers;
    for (const auto& server : options.servers) {
        servers.push_back(server.c_str());
    }
    if (const auto status = natsOptions_SetServers(made, servers.data(), static_cast<int>(servers.size()));
        status != NATS_OK) {
        return tl::unexpected(wrong_option(fmt::format("{}", fmt::join(options.servers, ",")), status));
    }
    if (!options.ca_file.empty()) {
        natsOptions_SetSecure(made, true);
        if (const auto status = natsOptions_LoadCATrustedCertificates(made, options.ca_file.c_str());
            status != NATS_OK) {
            return tl::unexpected(wrong_option(options.ca_file, status));
        }
    }
    if (!options.credentials_file.empty()) {
        if (const auto used = use_credentials(made, options.credentials_file); !used) {
            return tl::unexpected(used.error());
        }
    }
    natsOptions_SetName(made, "petrel manager");
    natsOptions_SetNoEcho(made, true);
    natsOptions_SetTimeout(made, kAnswer_ms);
    natsOptions_SetPingInterval(made, kPing_ms);
    natsOptions_SetMaxPingsOut(made, kPingsOut);
    natsOptions_SetMaxReconnect(made, -1);
    natsOptions_SetReconnectWait(made, kReconnect_ms);
    natsOptions_SetFailRequestsOnDisconnect(made, true);
    natsOptions_SetErrorHandler(made, ignore_error, nullptr);
    natsOptions_SetRetryOnFailedConnect(made, true, ignore_connection, nullptr);  // in a thread of the library
    natsConnection* connection = nullptr;
    if (const auto status = natsConnection_Connect(&connection, made);
        status != NATS_OK && status != NATS_NOT_YET_CONNECTED) {
        return tl::unexpected(nats_error(status, "connect"));
    }
    OwnedConnection owned{connection};
    jsOptions js;
    jsOptions_Init(&js);
    js.Wait = kAnswer_ms;
    jsCtx* context = nullptr;
    if (const auto status = natsConnection_JetStream(&context, connection, &js); status != NATS_OK) {
        return tl::unexpected(nats_error(status, "begin"));
    }
    return std::make_unique<NatsBus>(options, std::move(owned), OwnedContext{context});
}

}  // namespace petrel::bus
