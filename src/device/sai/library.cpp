#include "device/sai/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace petrel::device::sai {

namespace {

Error refuse(std::string why) { return {ErrorKind::unsupported, std::move(why)}; }

}  // namespace

// All libraries of this process, by the handle that dlopen returns. A library drives one switch by means of global
// state, so only one device at a time may hold it.
class LoadedLibraries {
public:
    // Null: another device holds the library.
    Library::Held hold(void* handle)
    {
        const std::lock_guard lock{mutex_};
        if (std::find(held_.begin(), held_.end(), handle) != held_.end()) {
            ::dlclose(handle);
            return nullptr;
        }
        held_.push_back(handle);
        const auto kept =
            std::find_if(kept_.begin(), kept_.end(), [&](const auto& library) { return library->handle_ == handle; });
        if (kept == kept_.end()) {
            return Library::Held{new Library{handle}};
        }
        ::dlclose(handle);  // dlopen has counted the kept handle twice
        Library::Held library{kept->release()};
        kept_.erase(kept);
        return library;
    }

    void give_back(std::unique_ptr<Library> library)
    {
        const std::lock_guard lock{mutex_};
        auto* handle = library->handle_;
        if (library->stays_) {
            kept_.push_back(std::move(library));
        }
        library.reset();
        std::erase(held_, handle);
    }

private:
    std::mutex mutex_;
    std::vector<void*> held_;
    std::vector<std::unique_ptr<Library>> kept_;
};

namespace {

// Never destroyed, so that the end of the process does not shut down a library that is kept.
LoadedLibraries& loaded_libraries()
{
    static auto& libraries = *new LoadedLibraries;
    return libraries;
}

}  // namespace

void Library::Return::operator()(Library* library) const noexcept
{
    loaded_libraries().give_back(std::unique_ptr<Library>{library});
}

template <class Function>
Function* Library::find(const char* name) const
{
    return reinterpret_cast<Function*>(::dlsym(handle_, name));
}

Result<Library::Held> Library::load(const LibraryPlace& place, Notes& notes)
{
    void* handle = ::dlopen(place.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const auto* why = ::dlerror();
        return tl::unexpected(Error{ErrorKind::unreachable, why != nullptr ? why : place.path + " cannot be loaded"});
    }
    auto library = loaded_libraries().hold(handle);
    if (!library) {
        return tl::unexpected(
            Error{ErrorKind::denied,
                  fmt::format("{} is open in this process already, and a library drives one switch", place.path)});
    }
    const auto ready = library->take_profile(place.profile, notes)
                           .and_then([&] { return library->initialize(place, notes); })
                           .and_then([&] { return library->learn_version(place.stated, notes); })
                           .and_then([&] { return library->learn_methods(notes); });
    if (!ready) {
        return tl::unexpected(ready.error());
    }
    return library;
}

Library::~Library()
{
    if (initialized_) {
        if (auto* uninitialize = find<abi::Uninitialize>("sai_api_uninitialize")) {
            uninitialize();
        }
    }
    ::dlclose(handle_);
}

// Until the switch is created, a library that failed to start gets the profile again, as the operator may have
// corrected it.
Result<void> Library::take_profile(const Profile& profile, Notes& notes)
{
    if (!callbacks_) {
        return Callbacks::take(profile).map([&](std::unique_ptr<Callbacks> taken) { callbacks_ = std::move(taken); });
    }
    if (switch_id_ == abi::kNullObject) {
        callbacks_->change_profile(profile);
    } else if (callbacks_->profile() != profile) {
        notes.add("the profile has changed since the library was started: the new one counts after a restart of the "
                  "agent");
    }
    return {};
}

// If an earlier attempt of ours failed and the library now returns ITEM_ALREADY_EXISTS, that attempt has initialised
// it. If it returns that at the first attempt, other software has initialised the library.
Result<void> Library::initialize(const LibraryPlace& place, Notes& notes)
{
    auto* initialize = find<abi::Initialize>("sai_api_initialize");
    if (initialize == nullptr || find<abi::QueryApi>("sai_api_query") == nullptr) {
        return tl::unexpected(refuse(fmt::format("{} is no SAI library: it has no sai_api_initialize or no "
                                                 "sai_api_query",
                                                 place.path)));
    }
    if (initialized_) {
        return {};
    }
    stays_ = place.until_the_end;
    const bool tried_before = std::exchange(tried_to_initialize_, true);
    const auto status = initialize(0, &callbacks_->services());
    if (status == abi::status::item_already_exists && tried_before) {
        notes.add(call_failed(status, "sai_api_initialize").what +
                  "; the library counts as initialised by the previous attempt");
    } else if (status != abi::status::success) {
        auto failed = call_failed(status, "sai_api_initialize");
        failed.what += status == abi::status::item_already_exists
                           ? "; the library is initialised already, and not by this agent"
                           : "";
        return tl::unexpected(std::move(failed));
    }
    initialized_ = true;
    query_capability_ = find<abi::QueryAttrCapability>("sai_query_attribute_capability");
    return {};
}

// Call after initialisation: before it, some libraries cannot report their version.
Result<void> Library::learn_version(std::optional<abi::Version> stated, Notes& notes)
{
    auto* query = find<abi::QueryVersion>("sai_query_api_version");
    if (query == nullptr) {
        if (!stated) {
            return tl::unexpected(refuse("the library does not report its version, so it is older than 1.10: state "
                                         "version=1.9 if it is 1.9, the oldest that can be used"));
        }
        if (*stated < abi::kOldest || *stated >= abi::kContinuousState) {
            return tl::unexpected(refuse(fmt::format("a library that does not report its version is older than 1.10, "
                                                     "and only 1.9 can be used: {} was stated",
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
        notes.add(fmt::format("the library reports version {}, which is used instead of the stated {}",
                              version_text(version_), version_text(*stated)));
    }
    return {};
}

// Copies as much of a method table as a library of this version has; the rest of the copy stays empty.
template <class Table>
Result<Table> Library::methods(abi::Api api, std::string_view name) const
{
    void* theirs = nullptr;
    const auto status = find<abi::QueryApi>("sai_api_query")(api, &theirs);
    if (status != abi::status::success || theirs == nullptr) {
        return tl::unexpected(call_failed(status, fmt::format("sai_api_query for {}", name)));
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
        return tl::unexpected(refuse(
            "the library lacks a required method: create or get of a switch, get of a port, get or set of a queue"));
    }
    if (const auto buffers = methods<abi::BufferApi>(abi::Api::buffer, "buffers")) {
        buffer_api_ = *buffers;
    } else {
        notes.add(buffers.error().what + "; received packets are not counted, and drop-egress replaces drop");
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

std::string Library::last_error_text() const
{
    using LastError = const char*();
    auto* last_error = find<LastError>("petrel_sai_last_error");
    const auto* text = last_error == nullptr ? nullptr : last_error();
    return text == nullptr ? "" : text;
}

bool Library::claims_get(abi::ObjectId switch_id, abi::ObjectType type, abi::AttrId id) const
{
    abi::AttrCapability claim{};
    return query_capability_ != nullptr && query_capability_(switch_id, type, id, &claim) == abi::status::success &&
           claim.get_implemented;
}

}  // namespace petrel::device::sai
