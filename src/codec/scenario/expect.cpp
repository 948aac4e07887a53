// [[expect]]: what the run must and must not result in. Each kind has a row below. Each quantity in a table is an
// expectation of its own.
#include <algorithm>
#include <array>

#include "codec/scenario/parts.hpp"
#include "codec/scenario/range.hpp"

namespace petrel::codec {

namespace {

using namespace scenario;

constexpr std::size_t kMostExpectations = 10'000;

class Expectations {
public:
    Expectations(ScenarioNames& names, Scenario& into) : names_(names), into_(into) {}

    void read(Section& section)
    {
        from_ = 0;
        until_ = into_.duration;
        section.time("from", from_);
        section.time("until", until_);
        if (until_ < from_ || until_ > into_.duration) {
            const auto* node = section.find("until");
            section.text().wrong(node != nullptr ? *node : section.table(),
                                 "a window that ends after it begins, and not after the run");
        }
        if (const auto* kind = section.require_kind("a kind of expectation")) {
            std::vector<std::string_view> names;
            for (const auto& known : kinds()) {
                names.push_back(known.name);
            }
            if (const auto chosen = section.choice(*kind, names)) {
                const auto before = into_.expectations.size();
                const auto complaints = section.text().complaints().count();
                (this->*kinds()[*chosen].read)(section);
                section.done();
                if (into_.expectations.size() == before && section.text().complaints().count() == complaints) {
                    section.text().wrong(section.table(), "something that is expected: " + wanted_);
                }
            }
        }
    }

private:
    // A quantity that the table may contain.
    void expect(Section& section, std::string_view key, Unit unit, std::string subject, Quantity quantity,
                const char* usual = nullptr)
    {
        wanted_ += wanted_.empty() ? std::string{key} : fmt::format(", {}", key);
        const auto* node = section.find(key);
        if (node == nullptr && usual == nullptr) {
            return;
        }
        const auto text = node != nullptr ? shown(*node) : std::string{usual};
        const auto range = range_in(text, unit);
        if (!range) {
            return section.text().wrong(*node, std::string{allowed_range(unit)});
        }
        const auto [line, column, file] = place(section.table());
        into_.expectations.push_back({line, std::move(subject), text, from_, until_, *range, unit, std::move(quantity),
                                      file ? *file : std::string{}});
    }

    std::vector<NodeId> nodes(Section& section, std::string_view key)
    {
        const auto* node = section.find(key);
        return node == nullptr ? std::vector<NodeId>{} : names_.nodes(*node, std::nullopt);
    }

    static std::string words(Section& section, std::string_view key)
    {
        const auto* node = section.find(key);
        if (node == nullptr) {
            return {};
        }
        const auto* list = node->as_array();
        if (list == nullptr) {
            return ' ' + shown(*node);
        }
        std::string text;
        for (const auto& one : *list) {
            text += (text.empty() ? " " : ", ") + shown(one);
        }
        return text;
    }

    // " leaf0:Ethernet0:3", " leaf0:Ethernet0 priorities 3, 4"
    static std::string queue_words(Section& section)
    {
        const auto port = words(section, "port");
        const auto priorities = words(section, "priorities");
        const auto* node = section.find("priorities");
        return port.empty() || node == nullptr || !node->is_integer()
                   ? port + (priorities.empty() ? "" : " priorities" + priorities)
                   : fmt::format("{}:{}", port, priorities.substr(1));
    }

    template <class Enum>
    std::optional<Enum> word(Section& section, const toml::node& node)
    {
        std::vector<std::string_view> known;
        for (std::size_t i = 0; i < static_cast<std::size_t>(Enum::count_); ++i) {
            known.push_back(name(static_cast<Enum>(i)));
        }
        const auto chosen = section.choice(node, known);
        return chosen ? std::optional{static_cast<Enum>(*chosen)} : std::nullopt;
    }

    // One name, or a list of names.
    template <class Enum>
    std::vector<Enum> chosen(Section& section, std::string_view key)
    {
        std::vector<Enum> all;
        const auto* node = section.find(key);
        if (node == nullptr) {
            return all;
        }
        const auto add = [&](const toml::node& one) {
            if (const auto found = word<Enum>(section, one)) {
                all.push_back(*found);
            }
        };
        if (const auto* list = node->as_array()) {
            std::for_each(list->begin(), list->end(), add);
        } else {
            add(*node);
        }
        return all;
    }

    void events(Section& section)
    {
        EventsExpected wanted;
        section.require("event", "a kind of event, or a list of kinds");
        wanted.kinds = chosen<watchdog::EventKind>(section, "event");
        if (const auto* node = section.find("reason")) {
            wanted.reason = word<watchdog::Reason>(section, *node);
        }
        wanted.devices = nodes(section, "device");
        if (const auto* node = section.find("port")) {
            wanted.port = names_.port(*node);
        }
        section.priorities("priorities", wanted.priorities);
        auto subject = fmt::format("events{}{}{}{}: count", words(section, "event"), words(section, "reason"),
                                   words(section, "device"), queue_words(section));
        expect(section, "count", Unit::count, std::move(subject), std::move(wanted), ">= 1");
    }

    void traffic(Section& section)
    {
        const auto* node = section.require("item", "the name of an item of the traffic");
        std::vector<std::string_view> known;
        for (const auto& item : into_.traffic) {
            known.push_back(item.name);
        }
        const auto item = node == nullptr ? std::nullopt : section.choice(*node, known);
        using What = TrafficExpected::What;
        static constexpr std::array<std::tuple<std::string_view, Unit, What>, 5> kQuantities{
            {{"rate", Unit::rate, What::rate},
             {"loss", Unit::share, What::loss},
             {"lost", Unit::count, What::lost},
             {"delivered", Unit::count, What::delivered},
             {"finished", Unit::count, What::finished}}};
        for (const auto& [key, unit, what] : kQuantities) {
            expect(section, key, unit, fmt::format("traffic{}: {}", words(section, "item"), key),
                   TrafficExpected{what, static_cast<std::uint32_t>(item.value_or(0))});
        }
    }

    void pause(Section& section)
    {
        PauseExpected wanted;
        const auto complaints = section.text().complaints().count();
        if (const auto* port = section.find("port")) {
            if (const auto end = names_.port(*port)) {
                wanted.ports = {*end};
            }
        }
        if (const auto* link = section.find("link")) {
            if (const auto found = names_.link(*link)) {
                const auto& ends = names_.topology().links[*found].ends;
                wanted.ports.insert(wanted.ports.end(), ends.begin(), ends.end());
            }
        }
        for (const auto node : nodes(section, "nodes")) {
            for (std::size_t port = 0; port < names_.topology().nodes[node.value].ports.size(); ++port) {
                wanted.ports.push_back({node, static_cast<std::uint16_t>(port)});
            }
        }
        if (names_.known() && wanted.ports.empty() && section.text().complaints().count() == complaints) {
            section.text().wrong(section.table(), "port = a port, link = a link, or nodes = nodes");
        }
        section.priorities("priorities", wanted.priorities);
        const auto where = words(section, "link") + words(section, "nodes") + queue_words(section);
        using What = PauseExpected::What;
        static constexpr std::array<std::tuple<std::string_view, Unit, What>, 3> kQuantities{
            {{"paused", Unit::time, What::paused},
             {"received", Unit::count, What::received},
             {"sent", Unit::count, What::sent}}};
        for (const auto& [key, unit, what] : kQuantities) {
            wanted.what = what;
            expect(section, key, unit, fmt::format("pause{}: {}", where, key), wanted);
        }
    }

    void drops(Section& section)
    {
        DropsExpected wanted{nodes(section, "nodes"), chosen<twin::Drop>(section, "cause")};
        auto subject = fmt::format("drops{}{}: frames", words(section, "nodes"), words(section, "cause"));
        expect(section, "frames", Unit::count, std::move(subject), std::move(wanted));
    }

    void state(Section& section)
    {
        StateExpected wanted{{}, nodes(section, "nodes")};
        using What = StateExpected::What;
        static constexpr std::array<std::pair<std::string_view, What>, 4> kQuantities{{{"mitigated", What::mitigated},
                                                                                       {"paused", What::paused},
                                                                                       {"in_flight", What::in_flight},
                                                                                       {"unseen", What::unseen}}};
        for (const auto& [key, what] : kQuantities) {
            wanted.what = what;
            expect(section, key, Unit::count, fmt::format("state{}: {}", words(section, "nodes"), key), wanted);
        }
    }

    void frozen(Section& section)
    {
        FrozenExpected wanted{nodes(section, "nodes")};
        auto where = words(section, "nodes");
        if (const auto* node = section.find("tier")) {
            const auto tier = section.whole(*node, 0, 9);
            const auto named = wanted.nodes.size();
            for (std::uint32_t id = 0; names_.known() && id < names_.topology().nodes.size(); ++id) {
                if (names_.topology().nodes[id].tier == tier) {
                    wanted.nodes.push_back({id});
                }
            }
            // An empty list would mean all nodes.
            if (names_.known() && tier && wanted.nodes.size() == named) {
                section.text().wrong(*node, "a tier of the topology");
            }
            where += fmt::format(" tier {}", shown(*node));
        }
        expect(section, "count", Unit::count, fmt::format("frozen nodes{}: count", where), std::move(wanted));
    }

    void deadlock(Section& section)
    {
        expect(section, "queues", Unit::count, "queues in a deadlock", DeadlockExpected{});
    }

    void link(Section& section)
    {
        const auto* node = section.require("port", "a port such as \"leaf0:Ethernet4\"");
        const auto port = node == nullptr ? std::nullopt : names_.port(*node);
        using What = LinkExpected::What;
        static constexpr std::array<std::pair<std::string_view, What>, 5> kQuantities{
            {{"reason", What::reason},
             {"neighbor_reason", What::neighbor_reason},
             {"events", What::events},
             {"last_reason", What::last_reason},
             {"last_neighbor_reason", What::last_neighbor_reason}}};
        for (const auto& [key, what] : kQuantities) {
            expect(section, key, Unit::count, fmt::format("link{}: {}", words(section, "port"), key),
                   LinkExpected{what, port.value_or(topology::End{})});
        }
    }

    void manager(Section& section)
    {
        if (!into_.manager) {
            return section.text().wrong(*section.find("kind"), "a quantity of the fabric: without [manager] there is "
                                                               "no manager");
        }
        ManagerExpected wanted;
        wanted.devices = nodes(section, "device");
        if (const auto* node = section.find("port")) {
            wanted.port = names_.port(*node);
        }
        section.priorities("priorities", wanted.priorities);
        std::string where;
        for (const auto* key : {"device", "port", "priorities"}) {
            where += words(section, key);
        }
        using What = ManagerExpected::What;
        static constexpr std::array<std::tuple<std::string_view, Unit, What>, 9> kQuantities{
            {{"errors", Unit::count, What::errors},
             {"opened_at", Unit::time, What::opened_at},
             {"closed_at", Unit::time, What::closed_at},
             {"events", Unit::count, What::events},
             {"missing", Unit::count, What::missing},
             {"doubled", Unit::count, What::doubled},
             {"disordered", Unit::count, What::disordered},
             {"forgotten", Unit::count, What::forgotten},
             {"unknown", Unit::count, What::unknown}}};
        for (const auto& [key, unit, what] : kQuantities) {
            wanted.what = what;
            expect(section, key, unit, fmt::format("manager{}: {}", where, key), wanted);
        }
    }

    struct Kind {
        std::string_view name;
        void (Expectations::*read)(Section&);
    };
    static std::span<const Kind> kinds()
    {
        static constexpr std::array kKinds{
            Kind{"event", &Expectations::events},      Kind{"traffic", &Expectations::traffic},
            Kind{"pause", &Expectations::pause},       Kind{"drops", &Expectations::drops},
            Kind{"state", &Expectations::state},       Kind{"frozen", &Expectations::frozen},
            Kind{"deadlock", &Expectations::deadlock}, Kind{"link", &Expectations::link},
            Kind{"manager", &Expectations::manager}};
        return kKinds;
    }

    ScenarioNames& names_;
    Scenario& into_;
    Ps from_{};
    Ps until_{};
    std::string wanted_;  // the quantities that the present table may contain
};

}  // namespace

void read_expectations(Section& top, ScenarioNames& names, Scenario& into)
{
    const auto* tables = top.find("expect");
    if (tables == nullptr) {
        return;
    }
    std::size_t count = 0;
    top.text().each_table(*tables, "[[expect]]", [&](const toml::table& table) {
        if (++count <= kMostExpectations) {
            Section section{top.text(), table};
            Expectations{names, into}.read(section);
        }
    });
    if (count > kMostExpectations) {
        top.text().wrong(*tables, fmt::format("at most {} tables [[expect]]", kMostExpectations));
    }
}

}  // namespace petrel::codec
