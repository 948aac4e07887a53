// Any calls in any order, with any ids, attributes and numbers: the library returns a status and keeps a valid state.
// Only pointers are always valid or null.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "input.hpp"
#include "libsai/exports.hpp"
#include "libsai/petrel_sai.h"

namespace {

using namespace petrel::sai;
using petrel::fuzz::Input;

constexpr std::string_view kScenario = R"(
name = "fuzz"
duration = "1s"
[topology]
kind = "dumbbell"
left = 2
right = 1
host_links = { speed = "1G", cable_m = 3 }
middle_link = { speed = "1G", cable_m = 3 }
[[traffic]]
from = "h0"
to = "h1"
rate = "500M"
reliable = false
[[traffic]]
from = "h2"
to = "h1"
rate = "500M"
reliable = false
[[fault]]
at = "1ms"
kind = "storm"
host = "h1"
period = "1ms"
)";

// A file without a name that exists as long as the process.
const char* scenario_file()
{
    static const std::string path = [] {
        const int file = ::memfd_create("scenario", 0);
        PETREL_ASSERT(::write(file, kScenario.data(), kScenario.size()) > 0, "no scenario");
        return "/proc/self/fd/" + std::to_string(file);
    }();
    return path.c_str();
}

class Caller {
public:
    explicit Caller(Input& input) : input_(input)
    {
        const ServiceMethods services{[](std::uint32_t profile, const char* name) -> const char* {
                                          const std::string_view asked{name};
                                          return asked == "petrel.scenario" ? scenario_file()
                                                 : asked == "petrel.time"   ? "stepped"
                                                 : asked == "petrel.device" ? (profile % 2 == 0 ? "s0" : "s1")
                                                                            : nullptr;
                                      },
                                      nullptr};
        sai_api_initialize(0, &services);
        sai_log_set(Api::switch_, LogLevel::critical);
        switches_ = table<SwitchApi>(Api::switch_);
        ports_ = table<PortApi>(Api::port);
        queues_ = table<QueueApi>(Api::queue);
        buffers_ = table<BufferApi>(Api::buffer);
        maps_ = table<QosMapApi>(Api::qos_map);
        Attribute init{switch_attr::init_switch, {}};
        init.value.u8 = 1;
        ObjectId id{};
        PETREL_ASSERT(switches_->create(&id, 1, &init) == status::success, "no switch");
        ids_.push_back(id);
    }
    ~Caller() { sai_api_uninitialize(); }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    void call()
    {
        constexpr std::uint8_t kCalls = 9;
        const auto kind = input_.take<std::uint8_t>();
        const auto api = static_cast<std::uint8_t>(kind / kCalls);
        switch (kind % kCalls) {
        case 0: return check(create(api));
        case 1: return check(remove(api));
        case 2: return check(set(api));
        case 3: return check(get(api));
        case 4: return check(stats(api));
        case 5: return check(petrel_sai_step(input_.take<std::uint32_t>() % 5'000'000));
        case 6: return capabilities();
        case 7: return learn(api);
        default: return many();
        }
    }

private:
    template <class Table>
    static const Table* table(Api api)
    {
        void* found = nullptr;
        PETREL_ASSERT(sai_api_query(api, &found) == status::success, "no table");
        return static_cast<const Table*>(found);
    }
    static void check(Status status) { PETREL_ASSERT(status <= 0, "status {}", status); }

    // An id that exists or existed, or any number.
    ObjectId id()
    {
        const auto which = input_.take<std::uint8_t>();
        return which < 200 ? ids_[which % ids_.size()] : input_.take<ObjectId>();
    }
    Attribute attribute()
    {
        Attribute made{input_.take<std::uint8_t>(), {}};
        if (made.id == switch_attr::queue_pfc_deadlock_notify) {
            made.value.ptr = reinterpret_cast<void*>(+[](std::uint32_t, const DeadlockNotice* n) { (void)n->event; });
        } else if (made.id == switch_attr::port_state_change_notify) {
            made.value.ptr = reinterpret_cast<void*>(+[](std::uint32_t, const PortStateNotice* n) { (void)n->state; });
        } else {
            made.value.whole[0] = input_.take<std::uint64_t>();
            const auto room = input_.take<std::uint8_t>();
            made.value.objlist.list = room % 4 == 0 ? nullptr : reinterpret_cast<ObjectId*>(room_.data());
            for (auto& word : room_) {
                word = room;
            }
        }
        return made;
    }
    std::array<Attribute, 3> attributes() { return {attribute(), attribute(), attribute()}; }
    std::uint32_t few() { return input_.take<std::uint8_t>() % 4U; }

    Status create(std::uint8_t api)
    {
        const auto given = attributes();
        ObjectId made{};
        Status status{};
        switch (api % 6) {
        case 0: status = switches_->create(&made, few(), given.data()); break;
        case 1: status = ports_->create(&made, id(), few(), given.data()); break;
        case 2: status = queues_->create(&made, id(), few(), given.data()); break;
        case 3: status = buffers_->create_pool(&made, id(), few(), given.data()); break;
        case 4: status = buffers_->create_profile(&made, id(), few(), given.data()); break;
        default: status = maps_->create(&made, id(), few(), given.data()); break;
        }
        if (status == status::success) {
            ids_.push_back(made);
        }
        return status;
    }
    Status remove(std::uint8_t api)
    {
        const std::array removers{switches_->remove,      ports_->remove,           queues_->remove,
                                  buffers_->remove_group, buffers_->remove_profile, buffers_->remove_pool,
                                  maps_->remove};
        return removers[api % removers.size()](id());
    }
    Status set(std::uint8_t api)
    {
        const std::array setters{switches_->set,        ports_->set,        queues_->set, buffers_->set_group,
                                 buffers_->set_profile, buffers_->set_pool, maps_->set};
        const auto given = attribute();
        return setters[api % setters.size()](id(), input_.take<std::uint8_t>() == 0 ? nullptr : &given);
    }
    Status get(std::uint8_t api)
    {
        const std::array getters{switches_->get,        ports_->get,        queues_->get, buffers_->get_group,
                                 buffers_->get_profile, buffers_->get_pool, maps_->get};
        auto asked = attributes();
        return getters[api % getters.size()](id(), few(), asked.data());
    }
    Status stats(std::uint8_t api)
    {
        const std::array getters{switches_->get_stats_ext, ports_->get_stats_ext, queues_->get_stats_ext,
                                 buffers_->get_group_stats_ext, buffers_->get_pool_stats_ext};
        const std::array<StatId, 2> ids{input_.take<std::uint8_t>(), input_.take<std::uint8_t>()};
        std::array<std::uint64_t, 2> values{};
        const auto mode = static_cast<StatsMode>(input_.take<std::uint8_t>() % 4);
        return getters[api % getters.size()](id(), few() % 3, ids.data(), mode, values.data());
    }
    void capabilities()
    {
        AttrCapability can{};
        const auto type = static_cast<ObjectType>(input_.take<std::uint8_t>());
        check(sai_query_attribute_capability(id(), type, input_.take<std::uint8_t>(), &can));
        List<std::int32_t> words{few(), reinterpret_cast<std::int32_t*>(room_.data())};
        check(sai_query_attribute_enum_values_capability(id(), type, input_.take<std::uint8_t>(), &words));
        List<StatCapability> stats{few(), reinterpret_cast<StatCapability*>(room_.data())};
        check(sai_query_stats_capability(id(), type, &stats));
        const auto any = id();
        PETREL_ASSERT((sai_object_type_query(any) == ObjectType::null) == (sai_switch_id_query(any) == kNullObject),
                      "an object without a switch");
    }
    // Reads the ids that a correct caller would use.
    void learn(std::uint8_t api)
    {
        std::array<ObjectId, 64> found{};
        Attribute asked{api % 3 == 0   ? AttrId{switch_attr::port_list}
                        : api % 3 == 1 ? AttrId{port_attr::qos_queue_list}
                                       : AttrId{port_attr::ingress_priority_group_list},
                        {}};
        asked.value.objlist = {static_cast<std::uint32_t>(found.size()), found.data()};
        if ((api % 3 == 0 ? switches_->get : ports_->get)(id(), 1, &asked) == status::success && ids_.size() < 180) {
            ids_.insert(ids_.end(), found.begin(), found.begin() + asked.value.objlist.count);
        }
    }
    void many()
    {
        const std::array ids{id(), id(), id()};
        const auto given = attributes();
        std::array<Status, 3> each{};
        check(queues_->set_many(few(), ids.data(), given.data(), static_cast<BulkErrors>(few()), each.data()));
    }

    Input& input_;
    std::vector<ObjectId> ids_;
    std::array<std::uint64_t, 512> room_{};  // for any list that the library fills
    const SwitchApi* switches_{};
    const PortApi* ports_{};
    const QueueApi* queues_{};
    const BufferApi* buffers_{};
    const QosMapApi* maps_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMost = 4096;
    Input input{data, std::min(size, kMost)};
    Caller caller{input};
    while (!input.empty()) {
        caller.call();
    }
    return 0;
}
