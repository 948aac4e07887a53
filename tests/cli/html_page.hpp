// What every page of ours has to stand: elements that are opened are closed.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

namespace petrel::test {

inline std::size_t count(const std::string& text, const std::string& what)
{
    std::size_t times = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++times;
    }
    return times;
}

// Every element that is opened is closed, in order; the few that have no end are known.
inline void expect_well_formed(const std::string& page)
{
    const std::set<std::string> without_end{"meta", "!doctype"};
    const std::regex tag{R"(<(/?)([a-z0-9!]+)([^<>]*?)(/?)>)"};
    std::vector<std::string> open;
    const auto body = std::regex_replace(page, std::regex{R"(<style>[^<]*</style>)"}, "");
    for (std::sregex_iterator it{body.begin(), body.end(), tag}, end; it != end; ++it) {
        const auto& match = *it;
        const auto name = match[2].str();
        if (without_end.contains(name) || !match[4].str().empty()) {
            continue;
        }
        if (match[1].str().empty()) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty()) << "</" << name << "> closes nothing";
        ASSERT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty()) << open.size() << " elements stay open, the last is " << open.back();
}

}  // namespace petrel::test
