// Compares our declaration of the SDK's interface with the facts of each version (abi.txt): every number in ids.hpp,
// every size and offset, and the end of each version's method tables. ids.hpp is read as text, so that no number is
// missed.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "sai/api.hpp"

namespace petrel::test {
namespace {

using Facts = std::map<std::string, long>;  // without the names that a version does not have

// One for each column of abi.txt.
std::vector<Facts> read_facts()
{
    std::ifstream file{PETREL_TEST_DATA "/sai/abi.txt"};
    std::vector<Facts> versions;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words{line};
        std::string name;
        words >> name;
        std::string word;
        for (std::size_t i = 0; name != "#" && words >> word; ++i) {
            if (name == "name") {
                versions.emplace_back();
            } else if (word != "-") {
                versions[i][name] = std::stol(word);
            }
        }
    }
    return versions;
}

struct Declared {
    std::string name;
    long number{};
    long since{};  // the version that has it first; 0 = all
};

// The names and numbers of ids.hpp. The prefix of a group is in a comment line before it.
std::vector<Declared> declared_numbers()
{
    const std::regex prefix_line{R"(// (SAI_[A-Z0-9_]+_))"};
    const std::regex number_line{R"(\s+([a-z0-9_]+) = (-?)(\w+),.*)"};
    const std::regex version_comment{R"(.*// (\d)\.(\d+))"};
    std::ifstream file{PETREL_TEST_DATA "/../src/sai/ids.hpp"};
    std::vector<Declared> numbers;
    std::string prefix;
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
        if (std::regex_match(line, match, prefix_line)) {
            prefix = match[1];
        } else if (std::regex_match(line, match, number_line)) {
            auto name = match[1].str();
            if (name.back() == '_') {  // SAI's name is a keyword of C++
                name.pop_back();
            }
            for (auto& letter : name) {
                letter = static_cast<char>(std::toupper(letter));
            }
            const auto number = (match[2].length() == 0 ? 1 : -1) * std::stol(match[3], nullptr, 0);
            std::smatch version;
            const bool newer = std::regex_match(line, version, version_comment);
            numbers.push_back(
                {prefix + name, number, newer ? 10000 * std::stol(version[1]) + 100 * std::stol(version[2]) : 0});
        } else if (line.find(" = ") != std::string::npos) {
            ADD_FAILURE() << "not understood, so not checked: " << line;
        } else if (line.find("namespace") == 0 || line.find("enum") == 0) {
            prefix = line.find("enum") == 0 ? prefix : "";
        }
    }
    return numbers;
}

std::optional<long> fact(const Facts& facts, const std::string& name)
{
    const auto at = facts.find(name);
    return at == facts.end() ? std::nullopt : std::optional{at->second};
}

TEST(SaiAbi, EveryNumberIsThatOfEveryVersion)
{
    const auto numbers = declared_numbers();
    EXPECT_GT(numbers.size(), 150U);
    for (const auto& facts : read_facts()) {
        for (const auto& [name, number, since] : numbers) {
            const auto expected = facts.at("version") >= since ? std::optional{number} : std::nullopt;
            EXPECT_EQ(fact(facts, name), expected) << name << " in " << facts.at("version");
        }
    }
}

TEST(SaiAbi, CountersOfAPriorityAreThoseOfEveryVersion)
{
    using namespace sai::port_stat;
    const std::vector<std::pair<std::string, sai::StatId (*)(unsigned)>> counters{
        {"RX_PKTS", pfc_rx_pkts},
        {"TX_PKTS", pfc_tx_pkts},
        {"RX_PAUSE_DURATION", pfc_rx_pause_duration},
        {"TX_PAUSE_DURATION", pfc_tx_pause_duration},
        {"RX_PAUSE_DURATION_US", pfc_rx_pause_duration_us},
        {"TX_PAUSE_DURATION_US", pfc_tx_pause_duration_us},
        {"ON2OFF_RX_PKTS", pfc_on2off_rx_pkts}};
    for (const auto& facts : read_facts()) {
        for (const auto& [word, id] : counters) {
            for (unsigned n = 0; n < 8; ++n) {
                const auto name = "SAI_PORT_STAT_PFC_" + std::to_string(n) + "_" + word;
                EXPECT_EQ(fact(facts, name), long{id(n)}) << name;
            }
        }
    }
}

#define PETREL_SIZE(name, type) {"sizeof(" name ")", sizeof(type)}
#define PETREL_OFFSET(name, type, member) {"offsetof(" name ")", offsetof(type, member)}

// By the names of abi.txt; a name that is missing in a version's facts does not exist in that version.
const std::map<std::string, std::size_t>& layout()
{
    using namespace sai;
    static const std::map<std::string, std::size_t> all{
        PETREL_SIZE("sai_status_t", Status),
        PETREL_SIZE("sai_object_id_t", ObjectId),
        PETREL_SIZE("sai_attr_id_t", AttrId),
        PETREL_SIZE("sai_object_type_t", ObjectType),
        PETREL_SIZE("sai_pointer_t", void*),
        PETREL_SIZE("bool", bool),
        PETREL_SIZE("sai_attribute_t", Attribute),
        {"alignof(sai_attribute_t)", alignof(Attribute)},
        PETREL_OFFSET("sai_attribute_t,id", Attribute, id),
        PETREL_OFFSET("sai_attribute_t,value", Attribute, value),
        PETREL_SIZE("sai_attribute_value_t", Value),
        {"alignof(sai_attribute_value_t)", alignof(Value)},
        PETREL_SIZE("value.booldata", Value::booldata),
        PETREL_SIZE("value.chardata", Value::chardata),
        PETREL_SIZE("value.u8", Value::u8),
        PETREL_SIZE("value.s8", Value::s8),
        PETREL_SIZE("value.u16", Value::u16),
        PETREL_SIZE("value.u32", Value::u32),
        PETREL_SIZE("value.s32", Value::s32),
        PETREL_SIZE("value.u64", Value::u64),
        PETREL_SIZE("value.ptr", Value::ptr),
        PETREL_SIZE("value.oid", Value::oid),
        PETREL_SIZE("value.objlist", Value::objlist),
        PETREL_SIZE("value.u32list", Value::u32list),
        PETREL_SIZE("value.s32list", Value::s32list),
        PETREL_SIZE("value.u32range", Value::u32range),
        PETREL_SIZE("value.maplist", Value::maplist),
        PETREL_SIZE("value.qosmap", Value::qosmap),
        PETREL_SIZE("value.whole", Value::whole),
        PETREL_SIZE("sai_object_list_t", List<ObjectId>),
        PETREL_OFFSET("sai_object_list_t,count", List<ObjectId>, count),
        PETREL_OFFSET("sai_object_list_t,list", List<ObjectId>, list),
        PETREL_SIZE("sai_u32_list_t", List<std::uint32_t>),
        PETREL_OFFSET("sai_u32_list_t,count", List<std::uint32_t>, count),
        PETREL_OFFSET("sai_u32_list_t,list", List<std::uint32_t>, list),
        PETREL_SIZE("sai_u32_range_t", Range),
        PETREL_OFFSET("sai_u32_range_t,min", Range, min),
        PETREL_OFFSET("sai_u32_range_t,max", Range, max),
        PETREL_SIZE("sai_map_t", MapEntry),
        PETREL_OFFSET("sai_map_t,key", MapEntry, key),
        PETREL_OFFSET("sai_map_t,value", MapEntry, value),
        PETREL_SIZE("sai_map_list_t", List<MapEntry>),
        PETREL_OFFSET("sai_map_list_t,count", List<MapEntry>, count),
        PETREL_OFFSET("sai_map_list_t,list", List<MapEntry>, list),
        PETREL_SIZE("sai_qos_map_t", QosEntry),
        PETREL_SIZE("sai_qos_map_params_t", QosParams),
        PETREL_SIZE("sai_queue_deadlock_notification_data_t", DeadlockNotice),
        PETREL_OFFSET("sai_queue_deadlock_notification_data_t,queue_id", DeadlockNotice, queue),
        PETREL_OFFSET("sai_queue_deadlock_notification_data_t,event", DeadlockNotice, event),
        PETREL_OFFSET("sai_queue_deadlock_notification_data_t,app_managed_recovery", DeadlockNotice,
                      app_managed_recovery),
        PETREL_SIZE("sai_port_oper_status_notification_t", PortStateNotice),
        PETREL_OFFSET("sai_port_oper_status_notification_t,port_id", PortStateNotice, port),
        PETREL_OFFSET("sai_port_oper_status_notification_t,port_state", PortStateNotice, state),
        PETREL_SIZE("sai_service_method_table_t", ServiceMethods),
        PETREL_OFFSET("sai_service_method_table_t,profile_get_value", ServiceMethods, get_value),
        PETREL_OFFSET("sai_service_method_table_t,profile_get_next_value", ServiceMethods, get_next_value),
        PETREL_OFFSET("sai_switch_api_t,create_switch", SwitchApi, create),
        PETREL_OFFSET("sai_switch_api_t,remove_switch", SwitchApi, remove),
        PETREL_OFFSET("sai_switch_api_t,set_switch_attribute", SwitchApi, set),
        PETREL_OFFSET("sai_switch_api_t,get_switch_attribute", SwitchApi, get),
        PETREL_OFFSET("sai_switch_api_t,get_switch_stats", SwitchApi, get_stats),
        PETREL_OFFSET("sai_switch_api_t,get_switch_stats_ext", SwitchApi, get_stats_ext),
        PETREL_OFFSET("sai_switch_api_t,clear_switch_stats", SwitchApi, clear_stats),
        PETREL_OFFSET("sai_port_api_t,create_port", PortApi, create),
        PETREL_OFFSET("sai_port_api_t,remove_port", PortApi, remove),
        PETREL_OFFSET("sai_port_api_t,set_port_attribute", PortApi, set),
        PETREL_OFFSET("sai_port_api_t,get_port_attribute", PortApi, get),
        PETREL_OFFSET("sai_port_api_t,get_port_stats", PortApi, get_stats),
        PETREL_OFFSET("sai_port_api_t,get_port_stats_ext", PortApi, get_stats_ext),
        PETREL_OFFSET("sai_port_api_t,clear_port_stats", PortApi, clear_stats),
        PETREL_OFFSET("sai_port_api_t,clear_port_all_stats", PortApi, clear_all_stats),
        PETREL_OFFSET("sai_queue_api_t,create_queue", QueueApi, create),
        PETREL_OFFSET("sai_queue_api_t,remove_queue", QueueApi, remove),
        PETREL_OFFSET("sai_queue_api_t,set_queue_attribute", QueueApi, set),
        PETREL_OFFSET("sai_queue_api_t,get_queue_attribute", QueueApi, get),
        PETREL_OFFSET("sai_queue_api_t,get_queue_stats", QueueApi, get_stats),
        PETREL_OFFSET("sai_queue_api_t,get_queue_stats_ext", QueueApi, get_stats_ext),
        PETREL_OFFSET("sai_queue_api_t,clear_queue_stats", QueueApi, clear_stats),
        PETREL_OFFSET("sai_queue_api_t,set_queues_attribute", QueueApi, set_many),
        PETREL_OFFSET("sai_queue_api_t,get_queues_attribute", QueueApi, get_many),
        PETREL_OFFSET("sai_buffer_api_t,create_buffer_pool", BufferApi, create_pool),
        PETREL_OFFSET("sai_buffer_api_t,remove_buffer_pool", BufferApi, remove_pool),
        PETREL_OFFSET("sai_buffer_api_t,set_buffer_pool_attribute", BufferApi, set_pool),
        PETREL_OFFSET("sai_buffer_api_t,get_buffer_pool_attribute", BufferApi, get_pool),
        PETREL_OFFSET("sai_buffer_api_t,get_buffer_pool_stats", BufferApi, get_pool_stats),
        PETREL_OFFSET("sai_buffer_api_t,get_buffer_pool_stats_ext", BufferApi, get_pool_stats_ext),
        PETREL_OFFSET("sai_buffer_api_t,clear_buffer_pool_stats", BufferApi, clear_pool_stats),
        PETREL_OFFSET("sai_buffer_api_t,create_ingress_priority_group", BufferApi, create_group),
        PETREL_OFFSET("sai_buffer_api_t,remove_ingress_priority_group", BufferApi, remove_group),
        PETREL_OFFSET("sai_buffer_api_t,set_ingress_priority_group_attribute", BufferApi, set_group),
        PETREL_OFFSET("sai_buffer_api_t,get_ingress_priority_group_attribute", BufferApi, get_group),
        PETREL_OFFSET("sai_buffer_api_t,get_ingress_priority_group_stats", BufferApi, get_group_stats),
        PETREL_OFFSET("sai_buffer_api_t,get_ingress_priority_group_stats_ext", BufferApi, get_group_stats_ext),
        PETREL_OFFSET("sai_buffer_api_t,clear_ingress_priority_group_stats", BufferApi, clear_group_stats),
        PETREL_OFFSET("sai_buffer_api_t,create_buffer_profile", BufferApi, create_profile),
        PETREL_OFFSET("sai_buffer_api_t,remove_buffer_profile", BufferApi, remove_profile),
        PETREL_OFFSET("sai_buffer_api_t,set_buffer_profile_attribute", BufferApi, set_profile),
        PETREL_OFFSET("sai_buffer_api_t,get_buffer_profile_attribute", BufferApi, get_profile),
        PETREL_OFFSET("sai_buffer_api_t,set_ingress_priority_groups_attribute", BufferApi, set_many_groups),
        PETREL_OFFSET("sai_buffer_api_t,get_ingress_priority_groups_attribute", BufferApi, get_many_groups),
        PETREL_OFFSET("sai_qos_map_api_t,create_qos_map", QosMapApi, create),
        PETREL_OFFSET("sai_qos_map_api_t,remove_qos_map", QosMapApi, remove),
        PETREL_OFFSET("sai_qos_map_api_t,set_qos_map_attribute", QosMapApi, set),
        PETREL_OFFSET("sai_qos_map_api_t,get_qos_map_attribute", QosMapApi, get),
    };
    return all;
}

#undef PETREL_SIZE
#undef PETREL_OFFSET

struct Table {
    std::string fact;  // the name of its size in the facts
    sai::Api api;
    std::size_t declared;
};

std::vector<Table> tables()
{
    using namespace sai;
    return {{"sizeof(sai_switch_api_t)", Api::switch_, sizeof(SwitchApi)},
            {"sizeof(sai_port_api_t)", Api::port, sizeof(PortApi)},
            {"sizeof(sai_queue_api_t)", Api::queue, sizeof(QueueApi)},
            {"sizeof(sai_buffer_api_t)", Api::buffer, sizeof(BufferApi)},
            {"sizeof(sai_qos_map_api_t)", Api::qos_map, sizeof(QosMapApi)}};
}

TEST(SaiAbi, EverySizeAndOffsetIsThatOfEveryVersion)
{
    for (const auto& facts : read_facts()) {
        std::size_t checked = 0;
        for (const auto& [name, number] : layout()) {
            if (const auto truth = fact(facts, name)) {
                EXPECT_EQ(static_cast<std::size_t>(*truth), number) << name << " in " << facts.at("version");
                ++checked;
            }
        }
        EXPECT_GE(checked + 4, layout().size()) << "of " << facts.at("version");  // four methods came with 1.15
        for (const auto& [name, number] : facts) {
            if (name.find("of(") != std::string::npos && name.find("_api_t)") == std::string::npos) {
                EXPECT_TRUE(layout().contains(name)) << name << " is a fact that nothing was held against";
            }
        }
    }
}

TEST(SaiAbi, TablesEndWhereEachVersionEndsThem)
{
    for (const auto& facts : read_facts()) {
        const auto version = static_cast<sai::Version>(facts.at("version"));
        for (const auto& table : tables()) {
            EXPECT_EQ(sai::table_bytes(table.api, version), static_cast<std::size_t>(facts.at(table.fact)))
                << table.fact << " in " << version;
        }
    }
    for (const auto& table : tables()) {
        EXPECT_EQ(sai::table_bytes(table.api, sai::kNewestKnown), table.declared) << table.fact;
    }
}

}  // namespace
}  // namespace petrel::test
