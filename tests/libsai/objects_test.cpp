// The objects, what the library reports about them, and how it answers invalid calls.
#include <algorithm>
#include <sstream>

#include "loaded_library.hpp"
#include "support/find_program.hpp"
#include "support/subprocess.hpp"

namespace petrel::test {
namespace {

using sai::ObjectType;
namespace queue_attr = sai::queue_attr;
namespace port_attr = sai::port_attr;
namespace switch_attr = sai::switch_attr;

class Objects : public LoadedLibrary {
protected:
    ObjectType type_of(ObjectId id) const { return call<sai::QueryObjectType>("sai_object_type_query")(id); }
    Status get_status(ObjectId id, sai::AttrId attribute) const
    {
        sai::Attribute attribute_read{attribute, {}};
        return queues->get(id, 1, &attribute_read);
    }
    Status set_status(ObjectId id, sai::AttrId attribute, const sai::Value& value = {}) const
    {
        const sai::Attribute given{attribute, value};
        return queues->set(id, &given);
    }
};

TEST_F(Objects, TheLibraryExportsOnlyTheInterface)
{
    const auto nm = find_program("nm");
    if (nm.empty()) {
        GTEST_SKIP() << "no nm";
    }
    const auto listed = run({nm, {"-D", "--defined-only", "-P", PETREL_BIN_DIR "/../lib/libsai-petrel.so"}});
    ASSERT_EQ(listed.exit_code, 0) << listed.err;
    std::istringstream lines{listed.out};
    std::size_t ours = 0;
    for (std::string line; std::getline(lines, line); ++ours) {
        EXPECT_TRUE(line.starts_with("sai_") || line.starts_with("petrel_sai_")) << line;
    }
    EXPECT_EQ(ours, 14U);
}

TEST_F(Objects, NothingWorksBeforeItIsInitialised)
{
    void* table = nullptr;
    EXPECT_EQ(call<sai::QueryApi>("sai_api_query")(sai::Api::queue, &table), status::uninitialized);
    EXPECT_EQ(call<sai::Uninitialize>("sai_api_uninitialize")(), status::uninitialized);
    EXPECT_EQ(call<Status(std::uint64_t)>("petrel_sai_step")(1), status::uninitialized);
    EXPECT_EQ(type_of(1), ObjectType::null);
    EXPECT_EQ(call<sai::Initialize>("sai_api_initialize")(0, nullptr), status::invalid_parameter);
    std::uint64_t version = 0;
    EXPECT_EQ(call<sai::QueryVersion>("sai_query_api_version")(&version), status::success);
    EXPECT_EQ(version, sai::kNewestKnown);
    EXPECT_EQ(initialize(), status::success);
    EXPECT_EQ(initialize(), status::item_already_exists);
    EXPECT_EQ(call<sai::QueryApi>("sai_api_query")(static_cast<sai::Api>(7), &table), status::invalid_parameter);
    EXPECT_EQ(call<sai::QueryApi>("sai_api_query")(sai::Api::queue, nullptr), status::invalid_parameter);
    EXPECT_EQ(call<Status(std::uint64_t)>("petrel_sai_step")(1), status::uninitialized) << "no switch yet";
}

// An invalid setting is explained in a message.
TEST_F(Objects, InvalidSettingsAreExplained)
{
    start(kStorm);
    constexpr std::uint32_t kProfile = 9;
    const auto file = settings()[{0, "petrel.scenario"}];
    const auto create_with = [&](const std::map<std::string, std::string>& given) {
        settings()[{kProfile, "petrel.scenario"}] = file;
        for (const auto& [name, value] : given) {
            settings()[{kProfile, name}] = value;
        }
        sai::Attribute attributes[]{{switch_attr::init_switch, boolean(true)}, {switch_attr::switch_profile_id, {}}};
        attributes[1].value.u32 = kProfile;
        ObjectId created{};
        testing::internal::CaptureStderr();
        const auto answer = switches->create(&created, 2, attributes);
        return std::to_string(answer) + " " + testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(create_with({{"petrel.time", "fast"}}),
              "-5 libsai-petrel: petrel.time is 'fast': it may be wall or stepped\n");
    EXPECT_EQ(create_with({{"petrel.time", "stepped"}, {"petrel.device", "h0"}}),
              "-5 libsai-petrel: petrel.device is 'h0': the scenario's switches are s0, s1\n");
    EXPECT_EQ(
        create_with({{"petrel.scenario", "other.toml"}}),
        "-5 libsai-petrel: petrel.scenario is 'other.toml': the switches of one process share one fabric, here '" +
            file + "'\n");
    EXPECT_EQ(create_with({{"petrel.device", "s1"}}), "0 ");

    // Settings that are read before a fabric exists: the scenario file.
    ASSERT_EQ(call<sai::Uninitialize>("sai_api_uninitialize")(), status::success);
    ASSERT_EQ(initialize(), status::success);
    const auto missing = create_with({{"petrel.scenario", "/no/such/file.toml"}});
    EXPECT_EQ(missing.substr(0, 3), "-1 ");
    EXPECT_NE(missing.find("/no/such/file.toml"), std::string::npos) << missing;
    EXPECT_EQ(create_with({}), "0 ") << "the next try may be better";
}

TEST_F(Objects, WithoutAScenarioTheSwitchHas32PortsAndNoTraffic)
{
    ASSERT_EQ(initialize(), status::success);
    s0 = create("");
    EXPECT_EQ(list(switches->get, s0, switch_attr::port_list).size(), 32U);
    EXPECT_EQ(get(switches, s0, switch_attr::number_of_active_ports).u32, 32U);
    EXPECT_EQ(get(switches, s0, switch_attr::qos_num_lossless_queues).u32, 2U);
    step_ms(1000);
    for (std::size_t i = 0; i != 32; ++i) {
        EXPECT_EQ(get(ports, port(i), port_attr::oper_status).s32, static_cast<int>(sai::OperStatus::up));
        EXPECT_EQ(get(ports, port(i), port_attr::oper_speed).u32, 100'000U);
        EXPECT_EQ(stat(ports->get_stats, port(i), sai::port_stat::if_in_ucast_pkts), 0U);
        EXPECT_EQ(state(queue(i)), sai::DeadlockState::not_paused);
    }
}

TEST_F(Objects, PortsQueuesAndGroupsReferToEachOther)
{
    start(kStorm);
    EXPECT_EQ(type_of(s0), ObjectType::switch_);
    for (std::size_t p = 0; p != 3; ++p) {
        EXPECT_EQ(type_of(port(p)), ObjectType::port);
        EXPECT_EQ(call<sai::QuerySwitchId>("sai_switch_id_query")(port(p)), s0);
        for (std::uint8_t q = 0; q != 8; ++q) {
            EXPECT_EQ(type_of(queue(p, q)), ObjectType::queue);
            EXPECT_EQ(get(queues, queue(p, q), queue_attr::port).oid, port(p));
            EXPECT_EQ(get(queues, queue(p, q), queue_attr::index).u8, q);
            EXPECT_EQ(type_of(group(p, q)), ObjectType::ingress_priority_group);
        }
    }
}

TEST_F(Objects, AListThatIsTooShortReturnsTheRequiredLength)
{
    start(kStorm);
    std::array<ObjectId, 2> room{};
    sai::Attribute attribute_read{switch_attr::port_list, {}};
    attribute_read.value.objlist = {2, room.data()};
    EXPECT_EQ(switches->get(s0, 1, &attribute_read), status::buffer_overflow);
    EXPECT_EQ(attribute_read.value.objlist.count, 3U);
    attribute_read.value.objlist = {5, nullptr};
    EXPECT_EQ(switches->get(s0, 1, &attribute_read), status::invalid_parameter);
}

TEST_F(Objects, MapsEqualTheFabricAndCannotChange)
{
    start(kStorm);
    const auto there = get(ports, port(0), port_attr::qos_pfc_priority_to_queue_map).oid;
    EXPECT_EQ(type_of(there), ObjectType::qos_map);
    std::array<sai::QosEntry, 8> entries{};
    sai::Attribute attribute_read{sai::qos_map_attr::map_to_value_list, {}};
    attribute_read.value.qosmap = {8, entries.data()};
    ASSERT_EQ(maps->get(there, 1, &attribute_read), status::success);
    EXPECT_EQ(entries[3].key.prio, 3);
    EXPECT_EQ(entries[3].value.queue_index, 3);
    EXPECT_EQ(maps->remove(there), status::object_in_use);

    const auto make = [&] {
        sai::Attribute attributes[]{{sai::qos_map_attr::type, word(sai::QosMapType::pfc_priority_to_queue)},
                                    {sai::qos_map_attr::map_to_value_list, {}}};
        attributes[1].value.qosmap = {8, entries.data()};
        ObjectId created{};
        EXPECT_EQ(maps->create(&created, s0, 2, attributes), status::success);
        return created;
    };
    const sai::Attribute same{port_attr::qos_pfc_priority_to_queue_map, object(make())};
    EXPECT_EQ(ports->set(port(0), &same), status::success);
    EXPECT_EQ(maps->remove(there), status::object_in_use) << "the other ports use it";
    entries[3].value.queue_index = 4;
    const sai::Attribute other{port_attr::qos_pfc_priority_to_queue_map, object(make())};
    EXPECT_EQ(ports->set(port(0), &other), status::invalid_attr_value_0);
    const sai::Attribute wrong_kind{port_attr::qos_pfc_priority_to_queue_map, object(port(0))};
    EXPECT_EQ(ports->set(port(0), &wrong_kind), status::invalid_attr_value_0);
}

TEST_F(Objects, InvalidCallsHaveDistinctErrors)
{
    start(kStorm);
    const auto q = queue(0);
    EXPECT_EQ(get_status(0, queue_attr::index), status::invalid_object_id);
    EXPECT_EQ(get_status(0x1234'5678'9abc'def0, queue_attr::index), status::invalid_object_id);
    EXPECT_EQ(get_status(q + 1000, queue_attr::index), status::invalid_object_id);
    EXPECT_EQ(get_status(port(0), queue_attr::index), status::invalid_object_type);
    EXPECT_EQ(get_status(q, 9999), status::unknown_attribute_0);
    EXPECT_EQ(set_status(q, 9999), status::unknown_attribute_0);
    constexpr sai::AttrId kLastOfQueue = 14;  // of version 1.18.1
    EXPECT_EQ(get_status(q, kLastOfQueue), status::attr_not_supported_0);
    EXPECT_EQ(set_status(q, kLastOfQueue), status::attr_not_supported_0);
    EXPECT_EQ(get_status(q, kLastOfQueue + 1), status::unknown_attribute_0);
    EXPECT_EQ(set_status(q, queue_attr::pause_status, boolean(true)), status::invalid_attribute_0);
    EXPECT_EQ(set_status(q, queue_attr::pfc_dlr_packet_action, word(sai::PacketAction::trap)),
              status::invalid_attr_value_0);
    EXPECT_EQ(queues->get(q, 1, nullptr), status::invalid_parameter);
    EXPECT_EQ(queues->set(q, nullptr), status::invalid_parameter);
    sai::Attribute several[]{{queue_attr::index, {}}, {queue_attr::type, {}}, {9999, {}}};
    EXPECT_EQ(queues->get(q, 0, several), status::invalid_parameter);
    EXPECT_EQ(queues->get(q, 3, several), status::unknown_attribute_0 - 2);

    ObjectId created{};
    EXPECT_EQ(queues->create(&created, s0, 0, nullptr), status::not_supported);
    EXPECT_EQ(queues->create(nullptr, s0, 0, nullptr), status::invalid_parameter);
    EXPECT_EQ(queues->remove(q), status::not_supported);
    EXPECT_EQ(switches->create(&created, 0, nullptr), status::mandatory_attribute_missing);
    sai::StatId id = 0x7fff;
    std::uint64_t value = 0;
    EXPECT_EQ(queues->get_stats(q, 1, &id, &value), status::not_supported);
    EXPECT_EQ(queues->get_stats(q, 1, nullptr, &value), status::invalid_parameter);
    EXPECT_EQ(switches->unused[0](), status::not_implemented);
}

TEST_F(Objects, ASwitchIsCreatedOnceThenAttachedToUntilItIsRemoved)
{
    start(kStorm);
    const auto q = queue(0);
    sai::Attribute init{switch_attr::init_switch, boolean(true)};
    ObjectId again{};
    EXPECT_EQ(switches->create(&again, 1, &init), status::item_already_exists);
    init.value = boolean(false);
    EXPECT_EQ(switches->create(&again, 1, &init), status::success);
    EXPECT_EQ(again, s0);
    EXPECT_EQ(switches->remove(s0), status::success);
    EXPECT_EQ(get_status(q, queue_attr::index), status::invalid_object_id);
    EXPECT_EQ(switches->create(&again, 1, &init), status::item_not_found);
    init.value = boolean(true);
    EXPECT_EQ(switches->create(&again, 1, &init), status::success);
}

TEST_F(Objects, CapabilitiesMatchTheBehaviour)
{
    start(kStorm);
    auto* query = call<sai::QueryAttrCapability>("sai_query_attribute_capability");
    sai::AttrCapability can{};
    for (sai::AttrId id = 0; id != 200; ++id) {
        ASSERT_EQ(query(s0, ObjectType::queue, id, &can), status::success);
        EXPECT_EQ(can.get_implemented, get_status(queue(0), id) == status::success) << id;
        const auto set_to_zero = set_status(queue(0), id);
        EXPECT_EQ(can.set_implemented, set_to_zero == status::success) << id;
    }
    EXPECT_EQ(query(s0, static_cast<ObjectType>(99), 0, &can), status::not_supported);
    EXPECT_EQ(query(queue(0), ObjectType::queue, 0, &can), status::invalid_object_type);

    std::array<std::int32_t, 4> words{};
    sai::List<std::int32_t> room{4, words.data()};
    ASSERT_EQ(call<sai::QueryEnumCapability>("sai_query_attribute_enum_values_capability")(
                  s0, ObjectType::queue, queue_attr::pfc_dlr_packet_action, &room),
              status::success);
    EXPECT_EQ(room.count, 2U);

    sai::List<sai::StatCapability> stats{0, nullptr};
    auto* query_stats = call<sai::QueryStatsCapability>("sai_query_stats_capability");
    EXPECT_EQ(query_stats(s0, ObjectType::port, &stats), status::buffer_overflow);
    std::vector<sai::StatCapability> all(stats.count);
    stats.list = all.data();
    ASSERT_EQ(query_stats(s0, ObjectType::port, &stats), status::success);
    for (const auto& each : all) {
        stat(ports->get_stats, port(0), each.stat);
    }
}

TEST_F(Objects, CountersAreClearedOneByOneAndLevelsAreNot)
{
    start(kStorm);
    step_ms(200);
    const auto q = queue(kStormed);
    const auto sent = stat(queues->get_stats, q, sai::queue_stat::packets);
    EXPECT_NEAR(static_cast<double>(sent), kPackets, 2);
    const std::array ids{sai::StatId{sai::queue_stat::packets}, sai::StatId{sai::queue_stat::curr_occupancy_bytes}};
    ASSERT_EQ(queues->clear_stats(q, 2, ids.data()), status::success);
    EXPECT_EQ(stat(queues->get_stats, q, sai::queue_stat::packets), 0U);
    EXPECT_GT(stat(queues->get_stats, q, sai::queue_stat::bytes), 0U);
    EXPECT_GT(stat(queues->get_stats, q, sai::queue_stat::curr_occupancy_bytes), 0U);

    const auto peak = stat(queues->get_stats, q, sai::queue_stat::watermark_bytes);
    step_ms(600);
    EXPECT_GT(stat(queues->get_stats, q, sai::queue_stat::watermark_bytes), peak);
    std::array<std::uint64_t, 1> read{};
    const sai::StatId watermark = sai::queue_stat::watermark_bytes;
    ASSERT_EQ(queues->get_stats_ext(q, 1, &watermark, sai::StatsMode::read_and_clear, read.data()), status::success);
    EXPECT_GT(read[0], peak);
    EXPECT_LT(stat(queues->get_stats, q, sai::queue_stat::watermark_bytes), peak);

    EXPECT_NEAR(
        static_cast<double>(stat(ports->get_stats, port(kStormed), sai::port_stat::pfc_rx_pause_duration_us(3))),
        500'000, 1100);
    EXPECT_EQ(stat(ports->get_stats, port(kStormed), sai::port_stat::pfc_rx_pkts(3)), 500U);
    EXPECT_EQ(stat(ports->get_stats, port(kStormed), sai::port_stat::pfc_on2off_rx_pkts(3)), 1U);
    ASSERT_EQ(ports->clear_all_stats(port(kStormed)), status::success);
    EXPECT_EQ(stat(ports->get_stats, port(kStormed), sai::port_stat::pfc_rx_pkts(3)), 0U);
}

TEST_F(Objects, OneCallReadsManyQueues)
{
    start(kStorm);
    const std::array ids{queue(0), ObjectId{77}, queue(1)};
    std::array<sai::Attribute, 3> attributes{};
    std::array<sai::Attribute*, 3> lists{};
    const std::array<std::uint32_t, 3> counts{1, 1, 1};
    for (std::size_t i = 0; i != 3; ++i) {
        attributes[i].id = queue_attr::enable_pfc_dldr;
        attributes[i].value = boolean(true);
        lists[i] = &attributes[i];
    }
    std::array<Status, 3> each{};
    EXPECT_EQ(queues->set_many(3, ids.data(), attributes.data(), sai::BulkErrors::ignore_error, each.data()),
              status::failure);
    EXPECT_EQ(each, (std::array<Status, 3>{status::success, status::invalid_object_id, status::success}));
    EXPECT_TRUE(get(queues, queue(1), queue_attr::enable_pfc_dldr).booldata);
    EXPECT_EQ(queues->get_many(3, ids.data(), counts.data(), lists.data(), sai::BulkErrors::stop_on_error, each.data()),
              status::failure);
    EXPECT_EQ(each, (std::array<Status, 3>{status::success, status::invalid_object_id, status::not_executed}));
}

}  // namespace
}  // namespace petrel::test
