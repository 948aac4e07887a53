// `petrel link`: why links go down. Lists the codes and their meaning, translates other vendors' codes, explains what
// other tools print, and plays scripts of events on one link.
#pragma once

#include <string>

#include "terminal/exit_code.hpp"

namespace petrel::cli {

struct LinkPlayOptions {
    std::string file;  // "-" = stdin
    bool json{};
    bool newest_first{};  // order of the histories
};

struct LinkExplainOptions {
    std::string code;
    bool json{};
};

struct LinkDecodeOptions {
    std::string from;
    std::string value;
    bool json{};
};

struct LinkImportOptions {
    std::string from;
    std::string file;  // "-" = stdin
    bool json{};
};

struct LinkCodesOptions {
    bool json{};
};

std::string import_tools(std::string_view separator);  // whose output `link import` reads

ExitCode run_link_play(const LinkPlayOptions&);
ExitCode run_link_explain(const LinkExplainOptions&);
ExitCode run_link_decode(const LinkDecodeOptions&);
ExitCode run_link_import(const LinkImportOptions&);
ExitCode run_link_codes(const LinkCodesOptions&);

}  // namespace petrel::cli
