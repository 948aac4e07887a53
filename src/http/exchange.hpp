// One request to an HTTP server and its answer, as data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petrel::http {

struct Request {
    std::string method;
    std::string path;
    std::map<std::string, std::string> query;    // of several values of a name, the last
    std::map<std::string, std::string> headers;  // names in lower case
    std::string client;                          // its address, without the port
    std::string certificate;                     // that the client has shown, in DER, not verified; empty: none
    std::string body;

    std::string header(std::string_view name) const  // empty: absent
    {
        const auto at = headers.find(std::string{name});
        return at == headers.end() ? std::string{} : at->second;
    }
};

// The body of an answer that goes on until the client leaves. Any thread may call it.
class Outflow {
public:
    virtual ~Outflow() = default;
    // The text is kept until the client has taken it. False: the client is gone.
    virtual bool put(std::shared_ptr<const std::string>) = 0;
    virtual bool empty() const = 0;  // the client has taken everything
};

struct Answer {
    unsigned status{200};
    std::string type;
    std::string body{};
    std::vector<std::pair<std::string, std::string>> headers{};
    // Set: `body` is the beginning of a stream. Called once, in the server's thread. `drained` (below) follows.
    std::function<void(std::shared_ptr<Outflow>)> streams{};
    // Called in the server's thread each time the client of the stream has taken everything.
    std::function<void()> drained{};
};

// To be called once, from any thread.
using Reply = std::function<void(Answer)>;

}  // namespace petrel::http
