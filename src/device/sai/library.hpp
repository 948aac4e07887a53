// A vendor's library, loaded, with its version known. We keep copies of its method tables that are empty beyond the end
// of the tables of its version, so that no caller calls past their end. load() checks everything that the device
// requires.
//
// Most libraries can be initialised only once in a process, and sai_api_uninitialize may shut the switch down.
// Therefore the agent keeps a library in the process from its first sai_api_initialize on, with the switch that was
// created. A device that is opened again gets the same Library.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/sai/callbacks.hpp"
#include "device/sai/calls.hpp"
#include "device/sai/notes.hpp"
#include "device/sai/port_names.hpp"
#include "sai/api.hpp"

namespace petrel::device::sai {

struct LibraryPlace {
    std::string path;
    Profile profile;
    std::optional<abi::Version> stated;  // stated by the operator, for a library too old to report its version
    std::vector<NamedPort> port_names;   // empty: ports are called port0, port1, ...
    bool until_the_end{};                // the library stays initialised until the process ends
};

class Library {
public:
    struct Return {
        void operator()(Library*) const noexcept;
    };
    using Held = std::unique_ptr<Library, Return>;

    // Fails if the library cannot be used; the notes list oddities that do no harm. Refuses a library that another
    // device of this process holds; reuses one that the process has kept.
    static Result<Held> load(const LibraryPlace&, Notes&);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    // The switch that this process has created; null if it has not created one yet.
    abi::ObjectId switch_id() const { return switch_id_; }
    void remember_switch(abi::ObjectId id) { switch_id_ = id; }

    abi::Version version() const { return version_; }
    Callbacks& callbacks() const { return *callbacks_; }

    const abi::SwitchApi& switch_api() const { return switch_api_; }
    const abi::BufferApi& buffer_api() const { return buffer_api_; }  // empty if the library has none
    abi::GetMany get_many_queues() const { return queue_api_.get_many; }

    const Objects& switches() const { return switches_; }
    const Objects& ports() const { return ports_; }
    const Objects& queues() const { return queues_; }
    const Objects& groups() const { return groups_; }
    const Objects& profiles() const { return profiles_; }
    const Objects& pools() const { return pools_; }
    const Objects& qos_maps() const { return qos_maps_; }

    // The library's last error as text, empty if there is none. Among SAI libraries only libsai-petrel offers this.
    std::string last_error_text() const;

    // Whether the library claims that the attribute can be read. The claim is not reliable.
    bool claims_get(abi::ObjectId switch_id, abi::ObjectType, abi::AttrId) const;

private:
    friend class LoadedLibraries;

    explicit Library(void* handle) : handle_(handle) {}

    template <class Function>
    Function* find(const char* name) const;
    Result<void> take_profile(const Profile&, Notes&);
    Result<void> initialize(const LibraryPlace&, Notes&);
    Result<void> learn_version(std::optional<abi::Version> stated, Notes&);
    Result<void> learn_methods(Notes&);
    template <class Table>
    Result<Table> methods(abi::Api, std::string_view name) const;

    void* handle_;
    std::unique_ptr<Callbacks> callbacks_;
    bool tried_to_initialize_{};
    bool initialized_{};
    bool stays_{};
    abi::ObjectId switch_id_{};
    abi::Version version_{};
    abi::SwitchApi switch_api_{};
    abi::PortApi port_api_{};
    abi::QueueApi queue_api_{};
    abi::BufferApi buffer_api_{};
    abi::QosMapApi qos_map_api_{};
    abi::QueryAttrCapability* query_capability_{};
    Objects switches_;
    Objects ports_;
    Objects queues_;
    Objects groups_;
    Objects profiles_;
    Objects pools_;
    Objects qos_maps_;
};

}  // namespace petrel::device::sai
