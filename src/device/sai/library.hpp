// A vendor's library, loaded and asked who it is. Of its method tables we keep copies that are empty where its version
// ends them, so that nobody can call past the end. What it cannot do without is checked once, here.
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
    std::optional<abi::Version> stated;  // the operator's word, for a library too old to be asked
    std::vector<NamedPort> port_names;   // none: ports are called port0, port1, ...
    // Once it is open it is not shut down, which might shut the switch down too: it ends with the process.
    bool until_the_end{};
};

class Library {
public:
    // Fails where the library cannot be used; says in notes what is odd but can be lived with.
    static Result<std::unique_ptr<Library>> load(const LibraryPlace&, Notes&);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    void keep() { kept_ = true; }  // it stays when this is gone

    abi::Version version() const { return version_; }
    Callbacks& callbacks() const { return *callbacks_; }

    const abi::SwitchApi& switch_api() const { return switch_api_; }
    const abi::BufferApi& buffer_api() const { return buffer_api_; }  // empty: it has none
    abi::GetMany get_many_queues() const { return queue_api_.get_many; }

    const Objects& switches() const { return switches_; }
    const Objects& ports() const { return ports_; }
    const Objects& queues() const { return queues_; }
    const Objects& groups() const { return groups_; }
    const Objects& profiles() const { return profiles_; }
    const Objects& pools() const { return pools_; }
    const Objects& qos_maps() const { return qos_maps_; }

    // What it last found wrong, in words: of SAI libraries only libsai-petrel can say so. Empty: nothing.
    std::string own_words() const;

    // Whether it says of itself that the attribute can be read: no reason to believe it.
    bool claims_get(abi::ObjectId switch_id, abi::ObjectType, abi::AttrId) const;

private:
    struct Close {
        void operator()(void*) const noexcept;
    };

    Library() = default;

    template <class Function>
    Function* find(const char* name) const;
    Result<void> initialize(const std::string& path);
    Result<void> learn_version(std::optional<abi::Version> stated, Notes&);
    Result<void> learn_methods(Notes&);
    template <class Table>
    Result<Table> methods(abi::Api, std::string_view words) const;

    std::unique_ptr<void, Close> handle_;
    std::unique_ptr<Callbacks> callbacks_;
    bool initialized_{};
    bool kept_{};
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
