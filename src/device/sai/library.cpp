#include "device/sai/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

namespace petrel::device::sai {

namespace {

// A library knows one switch, by global state: whoever opens it twice gets the same one twice.
class OpenLibraries {
public:
    bool add(void* handle)
    {
        const std::lock_guard lock{mutex_};
        if (std::find(handles_.begin(), handles_.end(), handle) != handles_.end()) {
            return false;
        }
        handles_.push_back(handle);
        return true;
    }
    void remove(void* handle)
    {
        const std::lock_guard lock{mutex_};
        std::erase(handles_, handle);
    }

private:
    std::mutex mutex_;
    std::vector<void*> handles_;
};

OpenLibraries open_libraries;

Error refuse(std::string why) { return {ErrorKind::unsupported, std::move(why)}; }

}  // namespace

void Library::Close::operator()(void* handle) const noexcept
{
    open_libraries.remove(handle);
    ::dlclose(handle);
}

template <class Function>
Function* Library::find(const char* name) const
{
    return reinterpret_cast<Function*>(::dlsym(handle_.get(), name));
}

Result<std::unique_ptr<Library>> Library::load(const LibraryPlace& place, Notes& notes)
{
    std::unique_ptr<Library> library{new Library};
    void* handle = ::dlopen(place.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const auto* why = ::dlerror();
        return tl::unexpected(Error{ErrorKind::unreachable, why != nullptr ? why : place.path + " cannot be loaded"});
    }
    if (!open_libraries.add(handle)) {
        ::dlclose(handle);
        return tl::unexpected(
            Error{ErrorKind::denied,
                  fmt::format("{} is open in this process already, and a library drives one switch", place.path)});
    }
    library->handle_.reset(handle);
    auto callbacks = Callbacks::take(place.profile);
    if (!callbacks) {
        return tl::unexpected(callbacks.error());
    }
    library->callbacks_ = std::move(*callbacks);
    const auto ready = library->initialize(place.path)
                           .and_then([&] { return library->learn_version(place.stated, notes); })
                           .and_then([&] { return library->learn_methods(notes); });
    if (!ready) {
        return tl::unexpected(ready.error());
    }
    return library;
}

Library::~Library()
{
    if (kept_) {
        open_libraries.remove(handle_.release());
    } else if (initialized_) {
        if (auto* uninitialize = find<abi::Uninitialize>("sai_api_uninitialize")) {
            uninitialize();
        }
    }
}

Result<void> Library::initialize(const std::string& path)
{
    auto* initialize = find<abi::Initialize>("sai_api_initialize");
    if (initialize == nullptr || find<abi::QueryApi>("sai_api_query") == nullptr) {
        return tl::unexpected(refuse(fmt::format("{} is no SAI library: it has no sai_api_initialize or no "
                                                 "sai_api_query",
                                                 path)));
    }
    const auto status = initialize(0, &callbacks_->services());
    if (status != abi::status::success) {
        return tl::unexpected(call_failed(status, "sai_api_initialize"));
    }
    initialized_ = true;
    query_capability_ = find<abi::QueryAttrCapability>("sai_query_attribute_capability");
    return {};
}

// To be asked after initialisation: there are libraries that know nothing before.
Result<void> Library::learn_version(std::optional<abi::Version> stated, Notes& notes)
{
    auto* query = find<abi::QueryVersion>("sai_query_api_version");
    if (query == nullptr) {
        if (!stated) {
            return tl::unexpected(refuse("the library cannot be asked for its version, so it is older than 1.10: state "
                                         "it (version=1.9) if it is 1.9, the oldest that can be used"));
        }
        if (*stated < abi::kOldest || *stated >= abi::kContinuousState) {
            return tl::unexpected(refuse(fmt::format("a library that cannot be asked for its version is older than "
                                                     "1.10, and only 1.9 can be used: {} was stated",
                                                     version_text(*stated))));
        }
        version_ = *stated;
        return {};
    }
    if (const auto status = query(&version_); status != abi::status::success) {
        return tl::unexpected(call_failed(status, "sai_query_api_version"));
    }
    if (version_ < abi::kOldest) {
        return tl::unexpected(refuse(fmt::format("the library is of version {}; {} is the oldest that can be used",
                                                 version_text(version_), version_text(abi::kOldest))));
    }
    if (stated && *stated / 100 != version_ / 100) {
        notes.add(fmt::format("the library says that it is of version {}, which counts, not the {} that was stated",
                              version_text(version_), version_text(*stated)));
    }
    return {};
}

// As much of a table as a library of this version has; the rest of ours stays empty.
template <class Table>
Result<Table> Library::methods(abi::Api api, std::string_view words) const
{
    void* theirs = nullptr;
    const auto status = find<abi::QueryApi>("sai_api_query")(api, &theirs);
    if (status != abi::status::success || theirs == nullptr) {
        return tl::unexpected(call_failed(status, fmt::format("sai_api_query for {}", words)));
    }
    Table ours{};
    std::memcpy(static_cast<void*>(&ours), theirs, std::min(sizeof(Table), abi::table_bytes(api, version_)));
    return ours;
}

Result<void> Library::learn_methods(Notes& notes)
{
    using Type = abi::ObjectType;
    const auto switches = methods<abi::SwitchApi>(abi::Api::switch_, "switches");
    const auto ports = methods<abi::PortApi>(abi::Api::port, "ports");
    const auto queues = methods<abi::QueueApi>(abi::Api::queue, "queues");
    for (const auto* failed : {switches ? nullptr : &switches.error(), ports ? nullptr : &ports.error(),
                               queues ? nullptr : &queues.error()}) {
        if (failed != nullptr) {
            return tl::unexpected(*failed);
        }
    }
    switch_api_ = *switches;
    port_api_ = *ports;
    queue_api_ = *queues;
    if (switch_api_.create == nullptr || switch_api_.get == nullptr || port_api_.get == nullptr ||
        queue_api_.get == nullptr || queue_api_.set == nullptr) {
        return tl::unexpected(refuse("the library lacks a method that nothing works without: create or get of a "
                                     "switch, get of a port, get or set of a queue"));
    }
    if (const auto buffers = methods<abi::BufferApi>(abi::Api::buffer, "buffers")) {
        buffer_api_ = *buffers;
    } else {
        notes.add(buffers.error().what + "; what is received is not counted, and drop ends at the egress queue");
    }
    if (const auto maps = methods<abi::QosMapApi>(abi::Api::qos_map, "QoS maps")) {
        qos_map_api_ = *maps;
    } else {
        notes.add(maps.error().what + "; priority n is taken for queue n and group n");
    }
    switches_ = {Type::switch_, switch_api_.get, switch_api_.set, nullptr};
    ports_ = {Type::port, port_api_.get, port_api_.set, port_api_.get_stats};
    queues_ = {Type::queue, queue_api_.get, queue_api_.set, queue_api_.get_stats};
    groups_ = {Type::ingress_priority_group, buffer_api_.get_group, buffer_api_.set_group, buffer_api_.get_group_stats};
    profiles_ = {Type::buffer_profile, buffer_api_.get_profile, buffer_api_.set_profile, nullptr};
    pools_ = {Type::buffer_pool, buffer_api_.get_pool, buffer_api_.set_pool, nullptr};
    qos_maps_ = {Type::qos_map, qos_map_api_.get, qos_map_api_.set, nullptr};
    return {};
}

std::string Library::own_words() const
{
    using LastError = const char*();
    auto* last_error = find<LastError>("petrel_sai_last_error");
    const auto* words = last_error == nullptr ? nullptr : last_error();
    return words == nullptr ? "" : words;
}

bool Library::claims_get(abi::ObjectId switch_id, abi::ObjectType type, abi::AttrId id) const
{
    abi::AttrCapability claim{};
    return query_capability_ != nullptr && query_capability_(switch_id, type, id, &claim) == abi::status::success &&
           claim.get_implemented;
}

}  // namespace petrel::device::sai
