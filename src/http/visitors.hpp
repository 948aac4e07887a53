// The connections of an HTTP listener in the order of their arrival. When there are too many, each new one closes the
// oldest of the addresses that have the most, so that slow clients do not keep others out. Only the listener's thread
// uses it.
#pragma once

#include <cstddef>
#include <list>
#include <string>

struct MHD_Connection;

namespace petrel::http {

class Visitors {
public:
    explicit Visitors(std::size_t most) : most_(most) {}

    // The limit for the library. It is higher and never reached: at that limit the library refuses new clients.
    unsigned limit_of_library() const { return static_cast<unsigned>(2 * most_); }

    void arrived(MHD_Connection*);
    void left(const MHD_Connection*);

private:
    struct Visitor {
        MHD_Connection* connection{};
        std::string address;  // without the port
        bool leaving{};
    };

    Visitor& oldest_of_largest_crowd();
    void send_away(Visitor&);

    std::size_t most_;
    std::list<Visitor> visitors_;
    std::size_t leaving_{};
};

std::string address_of(MHD_Connection*);  // of the client, without the port

}  // namespace petrel::http
