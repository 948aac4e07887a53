// Checks for all our pages: every opened element is closed.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
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

// std::regex recurses once for each repeated character, so that a long style sheet or path overflows the stack of a
// sanitized test. The two functions below read the page without it.
inline std::string without_style(const std::string& page)
{
    constexpr std::string_view kEnd = "</style>";
    const auto begin = page.find("<style>");
    const auto end = page.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos)
        return page;
    return page.substr(0, begin) + page.substr(end + kEnd.size());
}

// The text between < and >, for each tag.
inline std::vector<std::string> tags_of(const std::string& page)
{
    std::vector<std::string> tags;
    for (auto begin = page.find('<'); begin != std::string::npos; begin = page.find('<', begin + 1)) {
        const auto end = page.find_first_of("<>", begin + 1);
        if (end != std::string::npos && page[end] == '>')
            tags.push_back(page.substr(begin + 1, end - begin - 1));
    }
    return tags;
}

// Every opened element is closed, in order, except the few that have no end tag.
inline void expect_well_formed(const std::string& page)
{
    const std::set<std::string> without_end{"meta", "!doctype"};
    std::vector<std::string> open;
    for (const auto& tag : tags_of(without_style(page))) {
        const bool closes = tag.starts_with('/');
        const auto name = tag.substr(closes ? 1 : 0, tag.find_first_of(" \n/", 1) - (closes ? 1 : 0));
        if (without_end.contains(name) || tag.ends_with('/')) {
            continue;
        }
        if (!closes) {
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
