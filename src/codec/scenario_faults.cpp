// [[fault]]: what goes wrong, and when. Each kind has a row below: its name, and what it reads.
#include <algorithm>
#include <array>

#include "codec/scenario_parts.hpp"
#include "twin/pause_frame.hpp"

namespace petrel::codec {

namespace {

using namespace scenario;

constexpr Ps kUsualStormPeriod = 100 * twin::kUs;  // a pause of 65,535 quanta lasts 335 us at 100 Gb/s

class Faults {
public:
    Faults(ScenarioNames& names, Scenario& into) : names_(names), into_(into) {}

    void read(Section& section)
    {
        at_ = 0;
        section.require("at", "a time such as \"20ms\"");
        section.time("at", at_);
        if (const auto* kind = section.require("kind", "a kind of fault")) {
            std::vector<std::string_view> names;
            for (const auto& known : kinds()) {
                names.push_back(known.name);
            }
            if (const auto chosen = section.choice(*kind, names)) {
                (this->*kinds()[*chosen].read)(section);
                section.done();
            }
        }
    }

private:
    void add(decltype(Fault::what) what) { into_.faults.push_back({at_, std::move(what)}); }

    std::vector<NodeId> hosts(Section& section)
    {
        const auto* node = section.require("host", "a host, or a list of hosts");
        return node == nullptr ? std::vector<NodeId>{} : names_.nodes(*node, topology::Kind::host);
    }

    template <class Fault>
    void of_host(Section& section)
    {
        for (const auto host : hosts(section)) {
            add(Fault{host});
        }
    }

    template <class Fault>
    void of_link(Section& section)
    {
        const auto* node = section.require("link", "a port, or two nodes");
        if (const auto link = node == nullptr ? std::nullopt : names_.link(*node)) {
            add(Fault{*link});
        }
    }

    template <bool on>
    void of_port(Section& section)
    {
        const auto* node = section.require("port", "a port such as \"leaf0:Ethernet4\"");
        if (const auto end = node == nullptr ? std::nullopt : names_.port(*node)) {
            add(SwitchPort{*end, on});
        }
    }

    void storm(Section& section)
    {
        const auto stormers = hosts(section);
        twin::Storm storm;
        storm.priorities = 1U << 3U;
        storm.period = kUsualStormPeriod;
        section.priorities("priorities", storm.priorities);
        section.number("quanta", storm.quanta, 1, 65'535);
        section.time("period", storm.period, twin::kNs);
        section.time("until", storm.stop);
        section.time("burst", storm.burst);
        section.time("silence", storm.silence);
        section.number("xon_every", storm.xon_every, 0, 1'000'000);
        if (storm.silence != 0 && storm.burst == 0) {
            section.text().wrong(*section.table().get("silence"), "silence after a burst: give both");
        }
        read_times(section, storm);
        for (const auto host : stormers) {
            check_period(section, host, storm.period);
            add(StartStorm{host, storm});
        }
    }

    // times = [8 numbers]: each priority its own quanta.
    void read_times(Section& section, twin::Storm& storm)
    {
        const auto* node = section.find("times");
        if (node == nullptr) {
            return;
        }
        auto& table = into_.setup.pause_times;
        const auto* list = node->as_array();
        if (list == nullptr || list->size() != kPriorities || table.size() == 255) {
            return section.text().wrong(*node, "a list of 8 quanta, one for each priority; at most 255 such lists");
        }
        twin::PauseTimes times{};
        for (std::size_t p = 0; p < kPriorities; ++p) {
            times[p] = static_cast<std::uint16_t>(section.whole((*list)[p], 0, 65'535).value_or(0));
        }
        table.push_back(times);
        storm.times = static_cast<std::uint8_t>(table.size());
    }

    // Faster than the line nobody storms; frames would only pile up in the NIC.
    void check_period(Section& section, NodeId host, Ps period)
    {
        const auto& links = names_.topology().links;
        const auto own = std::find_if(links.begin(), links.end(), [&](const topology::Link& link) {
            return link.ends[0].node == host || link.ends[1].node == host;
        });
        const auto bits = 8 * (twin::kControlFrameBytes + std::uint64_t{into_.setup.overhead_bytes});
        if (own != links.end() && period < bits * twin::kSecond / own->speed.bps) {
            const auto* node = section.table().get("period");
            section.text().wrong(node != nullptr ? *node : section.table(),
                                 fmt::format("a period in which a frame can be sent: at least {} ps",
                                             bits * twin::kSecond / own->speed.bps));
        }
    }

    void slow_pipeline(Section& section)
    {
        BitRate rate;
        section.require("rate", "a rate such as \"1G\"");
        section.rate("rate", rate);
        for (const auto host : hosts(section)) {
            add(LimitPipeline{host, rate});
        }
    }

    void reroute(Section& section)
    {
        Reroute fault;
        if (const auto* node = section.find("without")) {
            fault.without = names_.links(*node);
        }
        add(std::move(fault));
    }

    std::vector<NodeId> switches(Section& section)
    {
        const auto* node = section.require("switch", "a switch, or a list of switches");
        return node == nullptr ? std::vector<NodeId>{} : names_.nodes(*node, topology::Kind::fabric_switch);
    }

    std::optional<NodeId> destination(Section& section)
    {
        const auto* node = section.require("to", "a host");
        return node == nullptr ? std::nullopt : names_.node(*node, topology::Kind::host);
    }

    void route(Section& section)
    {
        const auto to = destination(section);
        const auto* ports = section.require("ports", "a list such as [\"leaf0:Ethernet4\"], all of one switch");
        const auto* list = ports == nullptr ? nullptr : ports->as_array();
        if (ports != nullptr && (list == nullptr || list->empty())) {
            return section.text().wrong(*ports, "a list of ports");
        }
        SetRoute fault;
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
            const auto end = names_.port((*list)[i]);
            if (!end) {
                return;
            }
            if (names_.topology().nodes[end->node.value].kind == topology::Kind::host ||
                (i != 0 && end->node != fault.at)) {
                return section.text().wrong((*list)[i], "ports of one switch");
            }
            fault.at = end->node;
            fault.ports.push_back(end->port);
        }
        if (to && !fault.ports.empty()) {
            fault.to = *to;
            add(std::move(fault));
        }
    }

    void forget_address(Section& section)
    {
        const auto at = switches(section);
        if (const auto to = destination(section)) {
            for (const auto one : at) {
                add(SetRoute{one, *to, {}});
            }
        }
    }

    void alpha(Section& section)
    {
        SetAlpha fault;
        section.require("alpha", "the exponent n of 2^n");
        section.number("alpha", fault.exponent, -8, 8);
        section.require("group", "a priority group");
        section.number("group", fault.group, 0, kPriorities - 1);
        if (section.table().contains("port")) {
            const auto end = names_.port(*section.find("port"));
            if (end && names_.topology().nodes[end->node.value].kind == topology::Kind::host) {
                return section.text().wrong(*section.find("port"), "a port of a switch");
            }
            if (end) {
                fault.at = end->node;
                fault.ports = {static_cast<std::uint8_t>(end->port)};
                add(fault);
            }
            return;
        }
        for (const auto at : switches(section)) {
            fault.at = at;
            fault.ports.clear();
            for (std::size_t port = 0; port < names_.topology().nodes[at.value].ports.size(); ++port) {
                fault.ports.push_back(static_cast<std::uint8_t>(port));
            }
            add(fault);
        }
    }

    struct Kind {
        std::string_view name;
        void (Faults::*read)(Section&);
    };
    static std::span<const Kind> kinds();

    ScenarioNames& names_;
    Scenario& into_;
    Ps at_{};
};

std::span<const Faults::Kind> Faults::kinds()
{
    static constexpr std::array kKinds{Kind{"storm", &Faults::storm},
                                       Kind{"stop-storm", &Faults::of_host<StopStorms>},
                                       Kind{"stop-pipeline", &Faults::of_host<StopPipeline>},
                                       Kind{"slow-pipeline", &Faults::slow_pipeline},
                                       Kind{"heal-pipeline", &Faults::of_host<HealPipeline>},
                                       Kind{"kill-host", &Faults::of_host<KillHost>},
                                       Kind{"reboot-host", &Faults::of_host<RebootHost>},
                                       Kind{"cut-link", &Faults::of_link<CutLink>},
                                       Kind{"mend-link", &Faults::of_link<MendLink>},
                                       Kind{"disable-port", &Faults::of_port<false>},
                                       Kind{"enable-port", &Faults::of_port<true>},
                                       Kind{"reroute", &Faults::reroute},
                                       Kind{"set-route", &Faults::route},
                                       Kind{"forget-address", &Faults::forget_address},
                                       Kind{"set-alpha", &Faults::alpha}};
    return kKinds;
}

}  // namespace

void read_faults(Section& top, ScenarioNames& names, Scenario& into)
{
    if (const auto* tables = top.find("fault")) {
        Faults faults{names, into};
        top.text().each_table(*tables, "[[fault]]", [&](const toml::table& table) {
            Section section{top.text(), table};
            faults.read(section);
        });
    }
}

}  // namespace petrel::codec
