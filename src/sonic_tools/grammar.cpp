#include "sonic_tools/grammar.hpp"

namespace petrel::sonic_tools {

const std::vector<Option>& common_options()
{
    static const std::vector<Option> options{{{"--redis"}, Text{}, "Where Redis is: unix:///path or tcp://host:port."},
                                             {{"--socket"}, Text{}, "Where the agent listens."}};
    return options;
}

}  // namespace petrel::sonic_tools
