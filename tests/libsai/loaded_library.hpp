// libsai-petrel.so as a NOS uses it: loaded by name and used only through its C interface. Time is stepped, unless a
// test selects otherwise.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libsai/petrel_sai.h"
#include "sai/api.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::test {

namespace status = sai::status;
using sai::ObjectId;
using sai::Status;

inline sai::Value boolean(bool v)
{
    sai::Value value{};
    value.booldata = v;
    return value;
}
template <class Enum>
sai::Value word(Enum v)
{
    sai::Value value{};
    value.s32 = static_cast<std::int32_t>(v);
    return value;
}
inline sai::Value mask(std::uint8_t v)
{
    sai::Value value{};
    value.u8 = v;
    return value;
}
inline sai::Value bytes(std::uint64_t v)
{
    sai::Value value{};
    value.u64 = v;
    return value;
}
inline sai::Value object(ObjectId v)
{
    sai::Value value{};
    value.oid = v;
    return value;
}
inline sai::Value map_list(std::vector<sai::MapEntry>& entries)
{
    sai::Value value{};
    value.maplist = {static_cast<std::uint32_t>(entries.size()), entries.data()};
    return value;
}
template <class Callback>
sai::Value callback(Callback* v)
{
    sai::Value value{};
    value.ptr = reinterpret_cast<void*>(v);
    return value;
}

class LoadedLibrary : public testing::Test {
protected:
    LoadedLibrary()
    {
        handle_ = ::dlopen(PETREL_BIN_DIR "/../lib/libsai-petrel.so", RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(handle_, nullptr) << ::dlerror();
        settings().clear();
    }
    ~LoadedLibrary() override
    {
        call<sai::Uninitialize>("sai_api_uninitialize")();
        ::dlclose(handle_);
    }

    template <class Function>
    Function* call(const char* name) const
    {
        auto* found = reinterpret_cast<Function*>(::dlsym(handle_, name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }

    // By profile and name: the settings that the library looks up.
    static std::map<std::pair<std::uint32_t, std::string>, std::string>& settings()
    {
        static std::map<std::pair<std::uint32_t, std::string>, std::string> all;
        return all;
    }

    Status initialize()
    {
        static constexpr sai::ServiceMethods kServices{[](std::uint32_t profile, const char* name) -> const char* {
                                                           const auto found = settings().find({profile, name});
                                                           return found == settings().end() ? nullptr
                                                                                            : found->second.c_str();
                                                       },
                                                       nullptr};
        const auto done = call<sai::Initialize>("sai_api_initialize")(0, &kServices);
        auto* query = call<sai::QueryApi>("sai_api_query");
        const auto ask = [&](sai::Api api, auto*& table) {
            void* found = nullptr;
            EXPECT_EQ(query(api, &found), status::success);
            table = static_cast<std::remove_reference_t<decltype(table)>>(found);
        };
        ask(sai::Api::switch_, switches);
        ask(sai::Api::port, ports);
        ask(sai::Api::queue, queues);
        ask(sai::Api::buffer, buffers);
        ask(sai::Api::qos_map, maps);
        return done;
    }

    // Creates a switch of the scenario, with a profile of its own.
    ObjectId create(std::string_view device, std::vector<sai::Attribute> more = {})
    {
        const auto profile = next_profile_++;
        settings()[{profile, "petrel.scenario"}] = scenario_;
        settings()[{profile, "petrel.time"}] = time_;
        settings()[{profile, "petrel.device"}] = device;
        sai::Value number{};
        number.u32 = profile;
        more.push_back({sai::switch_attr::init_switch, boolean(true)});
        more.push_back({sai::switch_attr::switch_profile_id, number});
        ObjectId created = sai::kNullObject;
        EXPECT_EQ(switches->create(&created, static_cast<std::uint32_t>(more.size()), more.data()), status::success);
        return created;
    }

    // Starts with the scenario's switch s0, at time zero.
    void start(std::string_view scenario, std::vector<sai::Attribute> more = {})
    {
        scenario_ = folder_ / "scenario.toml";
        std::ofstream{scenario_} << scenario;
        ASSERT_EQ(initialize(), status::success);
        s0 = create("s0", std::move(more));
    }

    void step_ms(std::uint64_t ms)
    {
        ASSERT_EQ(call<Status(std::uint64_t)>("petrel_sai_step")(ms * 1'000'000), status::success);
    }
    std::uint64_t now_ms() const
    {
        std::uint64_t ns = 0;
        EXPECT_EQ(call<Status(std::uint64_t*)>("petrel_sai_now")(&ns), status::success);
        return ns / 1'000'000;
    }
    std::uint64_t host_received(const char* host, std::uint8_t priority = 3) const
    {
        std::uint64_t frames = 0;
        EXPECT_EQ((call<Status(const char*, std::uint8_t, std::uint64_t*)>("petrel_sai_host_received")(host, priority,
                                                                                                       &frames)),
                  status::success);
        return frames;
    }

    // Reads one attribute, which must exist.
    template <class Table>
    static sai::Value get(const Table* table, ObjectId id, sai::AttrId attribute)
    {
        sai::Attribute attribute_read{attribute, {}};
        EXPECT_EQ(table->get(id, 1, &attribute_read), status::success) << "attribute " << attribute;
        return attribute_read.value;
    }
    template <class Table>
    static void set(const Table* table, ObjectId id, sai::AttrId attribute, const sai::Value& value)
    {
        const sai::Attribute given{attribute, value};
        EXPECT_EQ(table->set(id, &given), status::success) << "attribute " << attribute;
    }

    template <class Get>
    static std::vector<ObjectId> list(Get get, ObjectId of, sai::AttrId attribute)
    {
        sai::Attribute attribute_read{attribute, {}};
        attribute_read.value.objlist = {0, nullptr};
        EXPECT_EQ(get(of, 1, &attribute_read), status::buffer_overflow);
        std::vector<ObjectId> ids(attribute_read.value.objlist.count);
        attribute_read.value.objlist.list = ids.data();
        EXPECT_EQ(get(of, 1, &attribute_read), status::success);
        return ids;
    }
    ObjectId port(std::size_t index, ObjectId of = sai::kNullObject) const
    {
        return list(switches->get, of == sai::kNullObject ? s0 : of, sai::switch_attr::port_list).at(index);
    }
    ObjectId queue(std::size_t port_index, std::size_t index = 3) const
    {
        return list(ports->get, port(port_index), sai::port_attr::qos_queue_list).at(index);
    }
    ObjectId group(std::size_t port_index, std::size_t index = 3) const
    {
        return list(ports->get, port(port_index), sai::port_attr::ingress_priority_group_list).at(index);
    }
    sai::DeadlockState state(ObjectId of) const
    {
        return static_cast<sai::DeadlockState>(get(queues, of, sai::queue_attr::pfc_continuous_deadlock_state).s32);
    }
    template <class GetStats>
    static std::uint64_t stat(GetStats get, ObjectId of, sai::StatId id)
    {
        std::uint64_t value = 0;
        EXPECT_EQ(get(of, 1, &id, &value), status::success) << "statistic " << id;
        return value;
    }

    sai::SwitchApi* switches{};
    sai::PortApi* ports{};
    sai::QueueApi* queues{};
    sai::BufferApi* buffers{};
    sai::QosMapApi* maps{};
    ObjectId s0{};
    std::string time_{"stepped"};

private:
    TemporaryFolder folder_;
    std::string scenario_;
    std::uint32_t next_profile_{};
    void* handle_{};
};

// h0 and h1 at s0, h2 at s1. h0 and h2 each send a packet to h1 every 427.2 us. From 100 ms to 600 ms h1 pauses its
// switch.
inline constexpr std::string_view kStorm = R"(
name = "storm"
duration = "10s"
[topology]
kind = "dumbbell"
left = 2
right = 1
host_links = { speed = "1G", cable_m = 3 }
middle_link = { speed = "1G", cable_m = 3 }
[[traffic]]
from = "h0"
to = "h1"
rate = "20M"
reliable = false
[[traffic]]
from = "h2"
to = "h1"
rate = "20M"
reliable = false
[[fault]]
at = "100ms"
kind = "storm"
host = "h1"
quanta = 2000
period = "1ms"
until = "600ms"
)";
inline constexpr std::size_t kStormed = 1;      // s0's port to h1
inline constexpr std::size_t kUplink = 2;       // to s1, whose port 1 is its other end
inline constexpr std::uint64_t kPackets = 468;  // of both senders in 100 ms

}  // namespace petrel::test
