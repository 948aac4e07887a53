// The C interface of a switch SDK (SAI): the values that cross it. It is declared here as far as a PFC watchdog and a
// watched switch need it, so that neither needs the SDK's headers. Layouts are those of x86-64 and have not changed
// since 1.3; tests/sai checks every number in this folder against the facts of several versions.
#pragma once

#include <cstdint>

namespace petrel::sai {

using Status = std::int32_t;
using ObjectId = std::uint64_t;  // opaque; only ids that the library returned may be passed to it
using AttrId = std::uint32_t;
using StatId = std::uint32_t;

inline constexpr ObjectId kNullObject = 0;

// The caller owns a list: on entry count is its capacity, on return the number of elements.
template <class T>
struct List {
    std::uint32_t count;
    T* list;
};

struct Range {
    std::uint32_t min;
    std::uint32_t max;
};

struct MapEntry {  // for intervals: traffic class -> milliseconds
    std::uint32_t key;
    std::int32_t value;
};

struct QosParams {
    std::uint8_t tc;
    std::uint8_t dscp;
    std::uint8_t dot1p;
    std::uint8_t prio;
    std::uint8_t pg;
    std::uint8_t queue_index;
    std::int32_t color;
    std::uint8_t mpls_exp;
    std::uint8_t fc;
};

struct QosEntry {
    QosParams key;
    QosParams value;
};

union Value {
    bool booldata;
    char chardata[32];
    std::uint8_t u8;
    std::int8_t s8;
    std::uint16_t u16;
    std::uint32_t u32;
    std::int32_t s32;
    std::uint64_t u64;
    void* ptr;
    ObjectId oid;
    List<ObjectId> objlist;
    List<std::uint32_t> u32list;
    List<std::int32_t> s32list;
    Range u32range;
    List<MapEntry> maplist;
    List<QosEntry> qosmap;
    std::uint64_t whole[5];  // no member is longer than forty bytes
};

struct Attribute {
    AttrId id;
    Value value;
};

// The arguments of a library's callbacks, which come from threads of the library.
struct DeadlockNotice {
    ObjectId queue;
    std::int32_t event;         // DeadlockEvent
    bool app_managed_recovery;  // intended as a return value, but unusable: the data is const
};

struct PortStateNotice {
    ObjectId port;
    std::int32_t state;          // OperStatus
    std::uint32_t error_bits{};  // from 1.15 on, as port_attr::error_status; padding before
};

using DeadlockCallback = void (*)(std::uint32_t count, const DeadlockNotice*);
using PortStateCallback = void (*)(std::uint32_t count, const PortStateNotice*);

struct AttrCapability {
    bool create_implemented;
    bool set_implemented;
    bool get_implemented;
};

struct StatCapability {
    StatId stat;
    std::uint32_t modes;  // bits of StatsMode
};

// A library looks up its settings with these. `profile` identifies the switch; 0 if there is only one.
struct ServiceMethods {
    const char* (*get_value)(std::uint32_t profile, const char* variable);
    int (*get_next_value)(std::uint32_t profile, const char** variable, const char** value);
};

}  // namespace petrel::sai
