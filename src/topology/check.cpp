#include "topology/check.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace petrel::topology {
namespace {

class Check {
public:
    explicit Check(const Topology& topology) : topology_(topology) {}

    std::vector<std::string> run()
    {
        names();
        for (const auto& node : topology_.nodes) {
            ports(node);
        }
        for (std::size_t i = 0; i < topology_.links.size(); ++i) {
            link(i, topology_.links[i]);
        }
        return std::move(problems_);
    }

private:
    template <class... Args>
    void report(fmt::format_string<Args...> text, Args&&... args)
    {
        problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    void names()
    {
        std::unordered_set<std::string_view> seen;
        for (std::size_t i = 0; i < topology_.nodes.size(); ++i) {
            const auto& name = topology_.nodes[i].name;
            if (name.empty()) {
                report("node {} has no name", i);
            } else if (!seen.insert(name).second) {
                report("two nodes are named '{}'", name);
            }
        }
    }

    void ports(const Node& node)
    {
        std::unordered_set<std::string_view> seen;
        for (std::size_t i = 0; i < node.ports.size(); ++i) {
            const auto& name = node.ports[i].name;
            if (name.empty()) {
                report("port {} of '{}' has no name", i, node.name);
            } else if (!seen.insert(name).second) {
                report("two ports of '{}' are named '{}'", node.name, name);
            }
        }
        if (node.kind == Kind::host && node.ports.size() != 1) {
            report("host '{}' has {} ports, allowed: exactly 1", node.name, node.ports.size());
        }
    }

    void link(std::size_t index, const Link& link)
    {
        bool real = true;
        for (const auto& end : link.ends) {
            real = exists(index, end) && real;
        }
        if (link.speed.bps == 0) {
            report("link {}: speed 0, allowed: above 0", index);
        }
        if (link.delay < Delay::zero()) {
            report("link {}: delay {} ps, allowed: 0 or more", index, link.delay.count());
        }
        if (!real) {
            return;
        }
        if (link.ends[0].node == link.ends[1].node) {
            report("link {} joins '{}' to itself", index, node(link.ends[0]).name);
            return;
        }
        for (const auto& end : link.ends) {
            const auto [first, is_new] = user_.try_emplace(end, index);
            if (!is_new) {
                report("links {} and {} both use port '{}' of '{}'", first->second, index,
                       node(end).ports[end.port].name, node(end).name);
            }
        }
    }

    bool exists(std::size_t index, const End& end)
    {
        if (end.node.value >= topology_.nodes.size()) {
            report("link {} ends at node {}, but there are {}", index, end.node.value, topology_.nodes.size());
            return false;
        }
        if (end.port >= node(end).ports.size()) {
            report("link {} ends at port {} of '{}', which has {}", index, end.port, node(end).name,
                   node(end).ports.size());
            return false;
        }
        return true;
    }

    const Node& node(const End& end) const { return topology_.nodes[end.node.value]; }

    const Topology& topology_;
    std::map<End, std::size_t> user_;  // the link at a port
    std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> problems(const Topology& topology) { return Check{topology}.run(); }

}  // namespace petrel::topology
