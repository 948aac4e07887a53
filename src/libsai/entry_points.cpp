// The functions that the library exports. Each takes the lock and returns only a status: no exception crosses into the
// caller's language.
#include <array>

#include "libsai/exports.hpp"
#include "libsai/method_tables.hpp"
#include "libsai/petrel_sai.h"
#include "libsai/process.hpp"

namespace status = petrel::sai::status;
using petrel::libsai::Library;
using petrel::libsai::on_library;
using petrel::sai::Api;
using petrel::sai::ObjectId;
using petrel::sai::ObjectType;
using petrel::sai::Status;

extern "C" {

Status sai_api_initialize(std::uint64_t flags, const petrel::sai::ServiceMethods* services)
{
    if (flags != 0 || services == nullptr) {
        return status::invalid_parameter;
    }
    return petrel::libsai::begin(*services);
}

Status sai_api_uninitialize() { return petrel::libsai::end(); }

Status sai_api_query(Api api, void** table)
{
    if (table == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library&) -> Status {
        const auto* found = petrel::libsai::method_table(api);
        if (found == nullptr) {
            return status::invalid_parameter;
        }
        *table = const_cast<void*>(found);
        return status::success;
    });
}

Status sai_query_api_version(std::uint64_t* version)
{
    if (version == nullptr) {
        return status::invalid_parameter;
    }
    *version = petrel::sai::kNewestKnown;
    return status::success;
}

Status sai_log_set(Api api, petrel::sai::LogLevel level)
{
    if (petrel::libsai::method_table(api) == nullptr || level < petrel::sai::LogLevel::debug ||
        level > petrel::sai::LogLevel::critical) {
        return status::invalid_parameter;
    }
    petrel::libsai::set_log_level(level);
    return status::success;
}

ObjectType sai_object_type_query(ObjectId id)
{
    auto type = ObjectType::null;
    on_library([&](Library& library) -> Status {
        type = library.type_of(id);
        return status::success;
    });
    return type;
}

ObjectId sai_switch_id_query(ObjectId id)
{
    auto owner = petrel::sai::kNullObject;
    on_library([&](Library& library) -> Status {
        owner = library.switch_of(id);
        return status::success;
    });
    return owner;
}

Status sai_query_attribute_capability(ObjectId switch_id, ObjectType type, petrel::sai::AttrId id,
                                      petrel::sai::AttrCapability* capability)
{
    if (capability == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.capability(switch_id, type, id, *capability); });
}

Status sai_query_attribute_enum_values_capability(ObjectId switch_id, ObjectType type, petrel::sai::AttrId id,
                                                  petrel::sai::List<std::int32_t>* values)
{
    if (values == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.enum_capability(switch_id, type, id, *values); });
}

Status sai_query_stats_capability(ObjectId switch_id, ObjectType type,
                                  petrel::sai::List<petrel::sai::StatCapability>* stats)
{
    if (stats == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.stats_capability(switch_id, type, *stats); });
}

// ---- beyond SAI

Status petrel_sai_step(std::uint64_t ns)
{
    constexpr std::uint64_t kMost_ns = 3'600'000'000'000;
    if (ns > kMost_ns) {
        return status::invalid_parameter;
    }
    const auto stepped =
        on_library([&](Library& library) { return library.step(petrel::Duration{static_cast<std::int64_t>(ns)}); });
    if (stepped == status::success) {
        petrel::libsai::deliver_notices();
    }
    return stepped;
}

Status petrel_sai_now(std::uint64_t* ns)
{
    if (ns == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.now(*ns); });
}

Status petrel_sai_host_received(const char* host, std::uint8_t priority, std::uint64_t* frames)
{
    if (host == nullptr || frames == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.host_received(host, priority, *frames); });
}

const char* petrel_sai_last_error()
{
    thread_local std::array<char, 1024> shown{};
    const auto text = petrel::libsai::last_error();
    shown[text.copy(shown.data(), shown.size() - 1)] = '\0';
    return shown.data();
}
}
