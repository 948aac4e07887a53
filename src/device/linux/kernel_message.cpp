#include "device/linux/kernel_message.hpp"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace petrel::device::linux_nic {

namespace {

using View = std::span<const std::byte>;

constexpr std::size_t kAlign = 4;  // of messages and attributes
constexpr std::size_t kNameBytes = 32;
constexpr std::uint16_t kTypeMask = 0x3fff;  // the two highest bits of an attribute's type are flags

constexpr std::size_t aligned(std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

template <class T>
std::optional<T> value_at(View bytes, std::size_t offset = 0)
{
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
        return std::nullopt;
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

class MessageWriter {
public:
    template <class Family>
    MessageWriter(std::uint16_t type, std::uint32_t sequence, const Family& family)
    {
        nlmsghdr header{};
        header.nlmsg_type = type;
        header.nlmsg_flags = NLM_F_REQUEST;
        header.nlmsg_seq = sequence;
        add(&header, sizeof header);
        add(&family, sizeof family);
    }

    void attribute(std::uint16_t type, const void* data, std::size_t size)
    {
        const nlattr header{static_cast<std::uint16_t>(sizeof(nlattr) + size), type};
        add(&header, sizeof header);
        add(data, size);
    }

    void text(std::uint16_t type, std::string_view text)
    {
        const std::string ended{text};
        attribute(type, ended.c_str(), ended.size() + 1);
    }

    Bytes finish()
    {
        const auto size = static_cast<std::uint32_t>(bytes_.size());
        std::memcpy(bytes_.data(), &size, sizeof size);  // nlmsg_len is the first field
        return std::move(bytes_);
    }

private:
    void add(const void* data, std::size_t size)
    {
        const auto at = bytes_.size();
        bytes_.resize(at + aligned(size));
        std::memcpy(bytes_.data() + at, data, size);
    }

    Bytes bytes_;
};

// What follows the header of the message that answers the request, or the kernel's error.
Answer<View> find_answer(View datagram, std::uint32_t sequence, std::string_view doing)
{
    while (const auto header = value_at<nlmsghdr>(datagram)) {
        if (header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > datagram.size()) {
            return tl::unexpected(Error{ErrorKind::corrupt, fmt::format("cannot {}: the kernel's answer has a message "
                                                                        "of {} bytes in {}",
                                                                        doing, header->nlmsg_len, datagram.size())});
        }
        const auto payload = datagram.subspan(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
        if (header->nlmsg_seq == sequence) {
            if (header->nlmsg_type != NLMSG_ERROR) {
                return payload;
            }
            const auto number = value_at<std::int32_t>(payload);
            return tl::unexpected(kernel_error(doing, number && *number < 0 ? -*number : EBADMSG));
        }
        datagram = datagram.subspan(std::min(datagram.size(), aligned(header->nlmsg_len)));
    }
    return std::nullopt;
}

std::optional<View> attribute_of(View attributes, std::uint16_t type)
{
    while (const auto header = value_at<nlattr>(attributes)) {
        if (header->nla_len < sizeof(nlattr) || header->nla_len > attributes.size()) {
            return std::nullopt;
        }
        if ((header->nla_type & kTypeMask) == type) {
            return attributes.subspan(sizeof(nlattr), header->nla_len - sizeof(nlattr));
        }
        attributes = attributes.subspan(std::min(attributes.size(), aligned(header->nla_len)));
    }
    return std::nullopt;
}

View after(View bytes, std::size_t size) { return bytes.subspan(std::min(bytes.size(), aligned(size))); }

constexpr std::string_view kReadLink = "read the link";
constexpr std::string_view kReadPfc = "read PFC";
constexpr std::string_view kSetPfc = "set PFC";

Error short_answer(std::string_view doing)
{
    return {ErrorKind::corrupt, fmt::format("cannot {}: the kernel's answer is too short", doing)};
}

}  // namespace

Error kernel_error(std::string_view doing, int number)
{
    const auto kind = [&] {
        switch (number) {
        case EOPNOTSUPP:
        case EINVAL: return ErrorKind::unsupported;
        case EPERM:
        case EACCES: return ErrorKind::denied;
        case EAGAIN:
        case ETIMEDOUT: return ErrorKind::timed_out;
        case EBADMSG: return ErrorKind::corrupt;
        default: return ErrorKind::unreachable;
        }
    }();
    auto what = fmt::format("cannot {}: {}", doing, std::generic_category().message(number));
    if (kind == ErrorKind::denied) {
        what += "; it needs CAP_NET_ADMIN of the machine, not of a container";
    }
    return {kind, std::move(what)};
}

Bytes link_request(std::uint32_t sequence, std::string_view interface)
{
    MessageWriter message{RTM_GETLINK, sequence, ifinfomsg{}};
    message.text(IFLA_IFNAME, interface);
    constexpr std::uint32_t kWithout = RTEXT_FILTER_SKIP_STATS;
    message.attribute(IFLA_EXT_MASK, &kWithout, sizeof kWithout);
    return message.finish();
}

Bytes pfc_request(std::uint32_t sequence, std::string_view interface)
{
    MessageWriter message{RTM_GETDCB, sequence, dcbmsg{AF_UNSPEC, DCB_CMD_IEEE_GET, 0}};
    message.text(DCB_ATTR_IFNAME, interface);
    return message.finish();
}

Bytes pfc_order(std::uint32_t sequence, std::string_view interface, const Pfc& pfc)
{
    ieee_pfc set{};
    set.pfc_cap = pfc.classes;
    set.pfc_en = pfc.enabled;
    set.mbc = pfc.bypass ? 1 : 0;
    set.delay = pfc.delay;
    const nlattr header{sizeof(nlattr) + sizeof(ieee_pfc), DCB_ATTR_IEEE_PFC};
    Bytes nest(sizeof(nlattr) + sizeof(ieee_pfc));
    std::memcpy(nest.data(), &header, sizeof(nlattr));
    std::memcpy(nest.data() + sizeof(nlattr), &set, sizeof set);
    MessageWriter message{RTM_SETDCB, sequence, dcbmsg{AF_UNSPEC, DCB_CMD_IEEE_SET, 0}};
    message.text(DCB_ATTR_IFNAME, interface);
    message.attribute(DCB_ATTR_IEEE | NLA_F_NESTED, nest.data(), nest.size());
    return message.finish();
}

Answer<LinkState> read_link(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kReadLink);
    if (!answer) {
        return std::nullopt;
    }
    return answer->and_then([](View payload) -> Result<LinkState> {
        const auto info = value_at<ifinfomsg>(payload);
        if (!info) {
            return tl::unexpected(short_answer(kReadLink));
        }
        const auto attributes = after(payload, sizeof(ifinfomsg));
        const auto carrier = attribute_of(attributes, IFLA_CARRIER);
        const auto changes = attribute_of(attributes, IFLA_CARRIER_CHANGES);
        LinkState state;
        state.index = static_cast<std::uint32_t>(info->ifi_index);
        state.changes = changes ? value_at<std::uint32_t>(*changes).value_or(0) : 0;
        state.up = (info->ifi_flags & IFF_UP) != 0 && carrier && value_at<std::uint8_t>(*carrier).value_or(0) != 0;
        return state;
    });
}

Answer<Pfc> read_pfc(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kReadPfc);
    if (!answer) {
        return std::nullopt;
    }
    return answer->and_then([](View payload) -> Result<Pfc> {
        const auto ieee = attribute_of(after(payload, sizeof(dcbmsg)), DCB_ATTR_IEEE);
        const auto pfc = ieee ? attribute_of(*ieee, DCB_ATTR_IEEE_PFC) : std::nullopt;
        if (!pfc) {
            return tl::unexpected(kernel_error(kReadPfc, EOPNOTSUPP));
        }
        const auto read = value_at<ieee_pfc>(*pfc);
        if (!read) {
            return tl::unexpected(short_answer(kReadPfc));
        }
        return Pfc{read->pfc_en, read->pfc_cap, read->mbc != 0, read->delay};
    });
}

Answer<void> read_pfc_result(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kSetPfc);
    if (!answer) {
        return std::nullopt;
    }
    return answer->and_then([](View payload) -> Result<void> {
        const auto result = attribute_of(after(payload, sizeof(dcbmsg)), DCB_ATTR_IEEE);
        const auto number = result ? value_at<std::int8_t>(*result) : std::nullopt;
        if (!number) {
            return tl::unexpected(short_answer(kSetPfc));
        }
        if (*number != 0) {
            auto error = kernel_error(kSetPfc, *number < 0 ? -*number : EBADMSG);
            if (*number == -EINVAL) {
                error.what += "; the firmware or another program may manage DCBX";
            }
            return tl::unexpected(std::move(error));
        }
        return {};
    });
}

Result<std::vector<Counter>> read_counter_block(View names, std::span<const std::uint64_t> values)
{
    if (names.size() != values.size() * kNameBytes) {
        return tl::unexpected(Error{ErrorKind::corrupt, fmt::format("cannot read counters: {} values with names of {} "
                                                                    "bytes",
                                                                    values.size(), names.size())});
    }
    std::vector<Counter> counters;
    counters.reserve(values.size());
    for (const auto value : values) {
        const auto name = names.first(kNameBytes);
        const auto end = std::ranges::find(name, std::byte{});
        std::string text(static_cast<std::size_t>(end - name.begin()), '\0');
        std::memcpy(text.data(), name.data(), text.size());
        counters.push_back({std::move(text), value});
        names = names.subspan(kNameBytes);
    }
    return counters;
}

}  // namespace petrel::device::linux_nic
