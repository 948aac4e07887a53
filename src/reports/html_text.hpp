// Escapes external text for HTML: in elements and in quoted attributes.
#pragma once

#include <string>
#include <string_view>

namespace petrel::reports {

inline std::string html(std::string_view text)
{
    std::string safe;
    for (const char c : text) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
        }
    }
    return safe;
}

}  // namespace petrel::reports
