// [[switch]], [[nic]] and [dcqcn]: the settings of the devices in a scenario.
#include <algorithm>
#include <array>

#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

using twin::NicProfile;
using twin::Ps;
using twin::SwitchProfile;

constexpr std::size_t kMostProfiles = 1'000;
constexpr std::uint64_t kMostBuffer = std::uint64_t{1} << 32U;
constexpr std::uint8_t kUsualLossless = 0x18;  // priorities 3 and 4
constexpr std::int64_t kMostDriftPpm = 500'000;

void read_pause(Section& section, twin::PauseProfile& pause)
{
    if (auto below = section.below("pause")) {
        below->number("quanta", pause.quanta, 1, 65'535);
        below->time("response", pause.response);
        below->read("global", pause.global);
        below->done();
    }
}

// alpha = n (2^n times the free buffer), limit = bytes, or neither.
void read_limit(Section& section, twin::Limit& limit)
{
    if (const auto* node = section.find("alpha")) {
        if (const auto exponent = section.whole(*node, -8, 8)) {
            limit = {twin::Limit::Mode::dynamic, static_cast<std::int8_t>(*exponent), 0};
        }
    }
    if (const auto* node = section.find("limit")) {
        if (section.table().contains("alpha")) {
            section.text().wrong(*node, "either alpha or limit");
        } else if (const auto bytes = section.bytes(*node, UINT32_MAX)) {
            limit = {twin::Limit::Mode::fixed, 0, static_cast<std::uint32_t>(*bytes)};
        }
    }
}

class Profiles {
public:
    Profiles(ScenarioNames& names, twin::Setup& setup) : names_(names), setup_(setup) {}

    const std::vector<scenario::SwitchTraits>& detectors() const { return detectors_; }

    void read(Section& top)
    {
        setup_.profile_of.assign(names_.known() ? names_.topology().nodes.size() : 0, 0);
        setup_.switch_profiles.clear();
        add_usual_switch();
        each(top, "switch", topology::Kind::fabric_switch, [this](Section& section) {
            add_usual_switch();
            read_switch(section);
            return setup_.switch_profiles.size() - 1;
        });
        each(top, "nic", topology::Kind::host, [this](Section& section) {
            read_nic(section, setup_.nic_profiles.emplace_back());
            return setup_.nic_profiles.size() - 1;
        });
        if (auto section = top.below("dcqcn")) {
            read_dcqcn(*section);
        }
        fill_headroom();
    }

private:
    void add_usual_switch()
    {
        set_lossless(setup_.switch_profiles.emplace_back(), kUsualLossless);
        auto_headroom_.push_back(0xff);
        detectors_.emplace_back();
    }

    static void set_lossless(SwitchProfile& profile, std::uint8_t priorities)
    {
        for (std::uint8_t g = 0; g < kPriorities; ++g) {
            profile.groups[g].lossless = (unsigned{priorities} >> g & 1U) != 0;
        }
    }

    // A table without `nodes` applies to all nodes. Later tables override earlier ones.
    template <class Read>
    void each(Section& top, std::string_view key, topology::Kind kind, const Read& read)
    {
        const auto* tables = top.find(key);
        if (tables == nullptr) {
            return;
        }
        std::size_t count = 0;
        top.text().each_table(*tables, fmt::format("[[{}]]", key), [&](const toml::table& table) {
            if (++count > kMostProfiles) {
                return;
            }
            Section section{top.text(), table};
            const auto* chosen = section.find("nodes");
            const auto nodes = chosen != nullptr ? names_.nodes(*chosen, kind) : names_.all(kind);
            const auto profile = read(section);
            for (const auto node : nodes) {
                setup_.profile_of[node.value] = static_cast<std::uint16_t>(profile);
            }
            section.done();
        });
        if (count > kMostProfiles) {
            top.text().wrong(*tables, fmt::format("at most {} tables [[{}]]", kMostProfiles, key));
        }
    }

    void read_switch(Section& section)
    {
        auto& profile = setup_.switch_profiles.back();
        section.size("buffer", profile.buffer_bytes, kMostBuffer);
        read_pools(section, "ingress_pools", profile.ingress_pools);
        read_pools(section, "egress_pools", profile.egress_pools);
        if (const auto* node = section.find("shared_headroom")) {
            profile.shared_headroom_bytes = section.bytes(*node, kMostBuffer);
        }
        std::uint8_t lossless = kUsualLossless;
        section.priorities("lossless", lossless);
        set_lossless(profile, lossless);
        read_groups(section, profile);
        read_queues(section, profile);
        read_maps(section, profile);
        read_pause(section, profile.pause);
        section.time("pipeline", profile.pipeline);
        section.number("max_frame_bytes", profile.max_frame_bytes, 64, 65'535);
        if (auto flaws = section.below("flaws")) {
            flaws->read("deaf_without_pfc", profile.flaws.deaf_without_pfc);
            flaws->time("refresh", profile.flaws.refresh);
            flaws->time("jitter", profile.flaws.jitter);
            flaws->number("drift_ppm", profile.flaws.drift_ppm, -kMostDriftPpm, kMostDriftPpm);
            flaws->read("quanta", profile.flaws.quanta);
            flaws->done();
        }
        section.read("flood_unknown", profile.flood_unknown);
        read_detectors(section, detectors_.back());
    }

    static void read_detectors(Section& section, scenario::SwitchTraits& detectors)
    {
        const auto read = [&](std::string_view key, Duration& into) {
            Ps time = 0;
            section.time(key, time);
            into = twin::to_instant(time).time_since_epoch();
        };
        read("pause_limit", detectors.pause_limit);
        read("deadlock_detect", detectors.deadlock_detect);
        read("deadlock_recover", detectors.deadlock_recover);
        if (section.table().contains("deadlock_detect") != section.table().contains("deadlock_recover")) {
            section.text().wrong(section.table(), "deadlock_detect and deadlock_recover together");
        }
        read("acts_after", detectors.acts_after);
        read_registers(section, detectors);
    }

    static void read_registers(Section& section, scenario::SwitchTraits& detectors)
    {
        static constexpr std::array<std::string_view, 1> kKinds{"slingshot"};
        const auto* node = section.find("registers");
        if (node == nullptr || !section.choice(*node, kKinds)) {
            return;
        }
        detectors.slingshot = true;
        if (detectors.pause_limit == Duration::zero()) {
            section.text().wrong(*node, "a switch with a pause_limit, by which its pause-timeout status goes");
        }
        for (const auto* key : {"flaws", "deadlock_detect", "deadlock_recover", "acts_after"}) {
            if (const auto* other = section.table().get(key)) {
                section.text().wrong(*other, fmt::format("no {} of a switch with registers = \"slingshot\"", key));
            }
        }
    }

    static void read_pools(Section& section, std::string_view key, std::vector<std::uint64_t>& pools)
    {
        const auto* node = section.find(key);
        if (node == nullptr) {
            return;
        }
        const auto* list = node->as_array();
        if (list == nullptr || list->empty() || list->size() > 4) {
            return section.text().wrong(*node, "a list of 1 to 4 sizes");
        }
        for (const auto& size : *list) {
            pools.push_back(section.bytes(size, kMostBuffer).value_or(0));
        }
    }

    // Keys of the profile itself apply to all priority groups, those of [[switch.group]] to some.
    void read_groups(Section& section, SwitchProfile& profile)
    {
        std::vector<std::uint8_t> everyone{0, 1, 2, 3, 4, 5, 6, 7};
        read_group(section, profile, everyone);
        if (const auto* tables = section.find("group")) {
            section.text().each_table(*tables, "[[switch.group]]", [&](const toml::table& table) {
                Section below{section.text(), table};
                const auto* which = below.require("groups", "a number 0..7, or a list of them");
                read_group(below, profile, which == nullptr ? everyone : below.numbers_to_7(*which));
                below.done();
            });
        }
    }

    // Reads each value once, even if it applies to several groups.
    void read_group(Section& section, SwitchProfile& profile, const std::vector<std::uint8_t>& groups)
    {
        twin::PgProfile given;
        section.number("pool", given.pool, 0, 3);
        section.size("reserved", given.reserved_bytes);
        read_limit(section, given.limit);
        section.size("headroom", given.headroom_bytes);
        section.size("xon", given.xon_bytes);
        section.size("xon_offset", given.xon_offset_bytes);
        const auto& table = section.table();
        for (const auto g : groups) {
            auto& group = profile.groups[g];
            group.pool = table.contains("pool") ? given.pool : group.pool;
            group.reserved_bytes = table.contains("reserved") ? given.reserved_bytes : group.reserved_bytes;
            group.limit = table.contains("alpha") || table.contains("limit") ? given.limit : group.limit;
            group.xon_bytes = table.contains("xon") ? given.xon_bytes : group.xon_bytes;
            group.xon_offset_bytes = table.contains("xon_offset") ? given.xon_offset_bytes : group.xon_offset_bytes;
            if (table.contains("headroom")) {
                group.headroom_bytes = given.headroom_bytes;
                auto_headroom_.back() = static_cast<std::uint8_t>(auto_headroom_.back() & ~(1U << g));
            }
        }
    }

    static void read_queues(Section& section, SwitchProfile& profile)
    {
        const auto* tables = section.find("queue");
        if (tables == nullptr) {
            return;
        }
        section.text().each_table(*tables, "[[switch.queue]]", [&](const toml::table& table) {
            Section below{section.text(), table};
            twin::QueueProfile given;
            read_queue(below, given);
            if (const auto* which = below.require("queues", "a number 0..7, or a list of them")) {
                for (const auto q : below.numbers_to_7(*which)) {
                    profile.queues[q] = given;
                }
            }
            below.done();
        });
    }

    static void read_queue(Section& section, twin::QueueProfile& queue)
    {
        section.read("strict", queue.strict);
        section.number("weight", queue.weight, 1, 1'000);
        section.number("pool", queue.pool, 0, 3);
        read_limit(section, queue.limit);
        if (auto ecn = section.below("ecn")) {
            ecn->size("min", queue.ecn.min_bytes);
            ecn->size("max", queue.ecn.max_bytes);
            ecn->read("probability", queue.ecn.max_probability, 0, 1);
            ecn->done();
        }
    }

    static void read_maps(Section& section, SwitchProfile& profile)
    {
        read_map(section, "group_of_priority", profile.group_of_priority);
        read_map(section, "queue_of_priority", profile.queue_of_priority);
        auto map = section.below("priority_of_dscp");
        if (!map) {
            return;
        }
        for (std::size_t dscp = 0; dscp < profile.priority_of_dscp.size(); ++dscp) {
            map->number(kDscpKeys[dscp], profile.priority_of_dscp[dscp], 0, kPriorities - 1);
        }
        map->done();
    }

    static void read_map(Section& section, std::string_view key, std::array<std::uint8_t, kPriorities>& map)
    {
        const auto* node = section.find(key);
        if (node == nullptr) {
            return;
        }
        const auto numbers = section.numbers_to_7(*node);
        if (numbers.size() != map.size()) {
            return section.text().wrong(*node, "a list of 8 numbers 0..7, one for each priority");
        }
        std::copy(numbers.begin(), numbers.end(), map.begin());
    }

    static void read_nic(Section& section, NicProfile& profile)
    {
        section.rate("drain", profile.drain);
        section.size("buffer", profile.buffer_bytes);
        section.size("xoff", profile.xoff_bytes);
        section.size("xon", profile.xon_bytes);
        section.priorities("lossless", profile.lossless);
        read_pause(section, profile.pause);
        section.time("retransmit_after", profile.retransmit_after, twin::kUs);
        section.number("ack_bytes", profile.ack_bytes, 64, 9'216);
        section.time("notify_interval", profile.notify_interval);
    }

    void read_dcqcn(Section& section)
    {
        auto& set = setup_.dcqcn;
        section.read("g", set.g, 0, 1);
        section.time("alpha_timer", set.alpha_timer, twin::kUs);
        section.time("cut_interval", set.cut_interval);
        section.time("increase_timer", set.increase_timer, twin::kUs);
        section.size("increase_bytes", set.increase_bytes, kMostBuffer);
        section.rate("additive", set.additive);
        section.rate("hyper", set.hyper);
        section.rate("floor", set.floor);
        section.done();
    }

    // The default headroom: what may still arrive over the worst link of the profile's switches. When the threshold is
    // crossed, the switch may just have begun to send a frame. The pause frame then travels to the peer and takes
    // effect there; the peer may just have begun a frame, too; and the frames on the link still arrive.
    void fill_headroom()
    {
        if (!names_.known()) {
            return;
        }
        Ps pipeline = 0;
        Ps response = 0;
        for (const auto& profile : setup_.switch_profiles) {
            pipeline = std::max(pipeline, profile.pipeline);
            response = std::max(response, profile.pause.response);
        }
        for (const auto& profile : setup_.nic_profiles) {
            response = std::max(response, profile.pause.response);
        }
        std::vector<double> under_way(setup_.switch_profiles.size());  // bytes, by profile
        for (const auto& link : names_.topology().links) {
            const auto wait = static_cast<double>(2 * (static_cast<Ps>(link.delay.count()) + pipeline) + response);
            const auto bytes = wait * static_cast<double>(link.speed.bps) / (8.0 * static_cast<double>(twin::kSecond));
            for (const auto& end : link.ends) {
                if (names_.topology().nodes[end.node.value].kind == topology::Kind::fabric_switch) {
                    auto& most = under_way[setup_.profile(end.node.value)];
                    most = std::max(most, bytes);
                }
            }
        }
        for (std::size_t i = 0; i < setup_.switch_profiles.size(); ++i) {
            auto& profile = setup_.switch_profiles[i];
            const auto frames = 2 * (profile.max_frame_bytes + setup_.overhead_bytes) + twin::kControlFrameBytes;
            const auto bytes = std::min(under_way[i], 1e9) + static_cast<double>(frames);
            const auto headroom = static_cast<std::uint32_t>(bytes / 1024 + 1) * 1024;
            for (std::uint8_t g = 0; g < kPriorities; ++g) {
                if (profile.groups[g].lossless && (unsigned{auto_headroom_[i]} >> g & 1U) != 0) {
                    profile.groups[g].headroom_bytes = headroom;
                }
            }
        }
    }

    static constexpr std::array<std::string_view, 64> kDscpKeys{
        "0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10", "11", "12", "13", "14", "15",
        "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31",
        "32", "33", "34", "35", "36", "37", "38", "39", "40", "41", "42", "43", "44", "45", "46", "47",
        "48", "49", "50", "51", "52", "53", "54", "55", "56", "57", "58", "59", "60", "61", "62", "63"};

    ScenarioNames& names_;
    twin::Setup& setup_;
    std::vector<std::uint8_t> auto_headroom_;        // by switch profile: the groups without a given headroom
    std::vector<scenario::SwitchTraits> detectors_;  // by switch profile
};

}  // namespace

std::vector<scenario::SwitchTraits> read_profiles(Section& top, ScenarioNames& names, twin::Setup& setup)
{
    Profiles profiles{names, setup};
    profiles.read(top);
    return profiles.detectors();
}

}  // namespace petrel::codec
