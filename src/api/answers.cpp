#include "api/answers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "codec/manager/view_json.hpp"

namespace petrel::api {

namespace {

constexpr std::array<std::pair<unsigned, std::string_view>, 9> kTitles{{{kBadRequest, "Bad Request"},
                                                                        {kUnauthorized, "Unauthorized"},
                                                                        {kForbidden, "Forbidden"},
                                                                        {kNotFound, "Not Found"},
                                                                        {kMethodNotAllowed, "Method Not Allowed"},
                                                                        {kConflict, "Conflict"},
                                                                        {kTooLarge, "Content Too Large"},
                                                                        {kUnsupportedType, "Unsupported Media Type"},
                                                                        {kUnavailable, "Service Unavailable"}}};

}  // namespace

http::Answer problem(unsigned status, std::string_view detail)
{
    const auto* title = std::find_if(kTitles.begin(), kTitles.end(), [&](auto& one) { return one.first == status; });
    http::Answer answer{status, kProblem,
                        codec::problem_json(status, title == kTitles.end() ? "Error" : title->second, detail) + '\n'};
    if (status == kUnavailable) {
        answer.headers.emplace_back("Retry-After", "1");
    }
    if (status == kUnauthorized) {
        answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    }
    return answer;
}

http::Answer json(std::string body)
{
    body += '\n';
    return {kOk, kJson, std::move(body), {{"Cache-Control", "no-store"}}};
}

}  // namespace petrel::api
