#include "device/linux/kernel_message.hpp"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
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
            constexpr std::int32_t kLargestError = 4095;  // of the kernel; it sends it with a minus sign
            const auto number = value_at<std::int32_t>(payload);
            const bool valid = number && *number < 0 && *number >= -kLargestError;
            return tl::unexpected(kernel_error(doing, valid ? -*number : EBADMSG));
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

std::string_view text_of(View attribute)
{
    const auto end = std::ranges::find(attribute, std::byte{});
    return {reinterpret_cast<const char*>(attribute.data()), static_cast<std::size_t>(end - attribute.begin())};
}

template <class T>
std::optional<T> number_in(View attributes, std::uint16_t type)
{
    const auto attribute = attribute_of(attributes, type);
    return attribute ? value_at<T>(*attribute) : std::nullopt;
}

void add_attribute(Bytes& to, std::uint16_t type, View value)
{
    const nlattr header{static_cast<std::uint16_t>(sizeof(nlattr) + value.size()), type};
    const auto at = to.size();
    to.resize(at + aligned(header.nla_len));
    std::memcpy(to.data() + at, &header, sizeof header);
    std::ranges::copy(value, to.begin() + static_cast<std::ptrdiff_t>(at + sizeof header));
}

// The nest that names the interface of a message of ethtool's family.
Bytes ethtool_header(std::string_view interface, std::uint32_t flags = 0)
{
    const std::string name{interface};
    Bytes nest;
    add_attribute(nest, ETHTOOL_A_HEADER_DEV_NAME, std::as_bytes(std::span{name.c_str(), name.size() + 1}));
    if (flags != 0) {
        add_attribute(nest, ETHTOOL_A_HEADER_FLAGS, std::as_bytes(std::span{&flags, 1}));
    }
    return nest;
}

// What a notification changes, if its interface is this one.
Changes change_in(const nlmsghdr& header, View payload, const std::optional<EthtoolFamily>& family,
                  std::string_view interface)
{
    const auto names = [&](std::optional<View> attribute) { return attribute && text_of(*attribute) == interface; };
    switch (header.nlmsg_type) {
    case RTM_NEWLINK:
    case RTM_DELLINK:
        return names(attribute_of(after(payload, sizeof(ifinfomsg)), IFLA_IFNAME)) ? Changes{true, true} : Changes{};
    case RTM_SETDCB: return {false, names(attribute_of(after(payload, sizeof(dcbmsg)), DCB_ATTR_IFNAME))};
    default: break;
    }
    const auto command = value_at<genlmsghdr>(payload);
    if (!family || header.nlmsg_type != family->number || !command || command->cmd != ETHTOOL_MSG_PAUSE_NTF) {
        return {};
    }
    const auto device = attribute_of(after(payload, sizeof(genlmsghdr)), ETHTOOL_A_PAUSE_HEADER);
    return {false, device && names(attribute_of(*device, ETHTOOL_A_HEADER_DEV_NAME))};
}

// Later than the headers of the oldest kernel that we build with.
constexpr std::uint16_t kPauseStormEvents = ETHTOOL_A_PAUSE_STAT_RX_FRAMES + 1;

constexpr std::string_view kReadCounts = "read its standard counters";
constexpr std::string_view kReadDcbx = "read the DCBX mode";
constexpr std::string_view kFindEthtool = "find ethtool's netlink family";
constexpr std::string_view kReadReason = "read why the link is down";
constexpr std::string_view kEthtool = "ethtool";
constexpr std::string_view kMonitor = "monitor";
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

Bytes dcbx_request(std::uint32_t sequence, std::string_view interface)
{
    MessageWriter message{RTM_GETDCB, sequence, dcbmsg{AF_UNSPEC, DCB_CMD_GDCBX, 0}};
    message.text(DCB_ATTR_IFNAME, interface);
    return message.finish();
}

Bytes family_request(std::uint32_t sequence)
{
    MessageWriter message{GENL_ID_CTRL, sequence, genlmsghdr{CTRL_CMD_GETFAMILY, 1, 0}};
    message.text(CTRL_ATTR_FAMILY_NAME, kEthtool);
    return message.finish();
}

Bytes link_reason_request(std::uint32_t sequence, const EthtoolFamily& family, std::string_view interface)
{
    MessageWriter message{family.number, sequence, genlmsghdr{ETHTOOL_MSG_LINKSTATE_GET, ETHTOOL_GENL_VERSION, 0}};
    const auto nest = ethtool_header(interface);
    message.attribute(ETHTOOL_A_LINKSTATE_HEADER | NLA_F_NESTED, nest.data(), nest.size());
    return message.finish();
}

Bytes pause_counts_request(std::uint32_t sequence, const EthtoolFamily& family, std::string_view interface)
{
    MessageWriter message{family.number, sequence, genlmsghdr{ETHTOOL_MSG_PAUSE_GET, ETHTOOL_GENL_VERSION, 0}};
    const auto nest = ethtool_header(interface, ETHTOOL_FLAG_STATS);
    message.attribute(ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED, nest.data(), nest.size());
    return message.finish();
}

Bytes control_counts_request(std::uint32_t sequence, const EthtoolFamily& family, std::string_view interface)
{
    MessageWriter message{family.number, sequence, genlmsghdr{ETHTOOL_MSG_STATS_GET, ETHTOOL_GENL_VERSION, 0}};
    const auto nest = ethtool_header(interface);
    message.attribute(ETHTOOL_A_STATS_HEADER | NLA_F_NESTED, nest.data(), nest.size());
    constexpr std::uint32_t kSize = ETHTOOL_STATS_ETH_CTRL + 1;
    constexpr std::uint32_t kGroup = 1U << ETHTOOL_STATS_ETH_CTRL;
    Bytes groups;
    add_attribute(groups, ETHTOOL_A_BITSET_NOMASK, {});
    add_attribute(groups, ETHTOOL_A_BITSET_SIZE, std::as_bytes(std::span{&kSize, 1}));
    add_attribute(groups, ETHTOOL_A_BITSET_VALUE, std::as_bytes(std::span{&kGroup, 1}));
    message.attribute(ETHTOOL_A_STATS_GROUPS | NLA_F_NESTED, groups.data(), groups.size());
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
        state.enabled = (info->ifi_flags & IFF_UP) != 0;
        state.up = state.enabled && carrier && value_at<std::uint8_t>(*carrier).value_or(0) != 0;
        return state;
    });
}

namespace {

template <class T, class Take>
Answer<T> read_ieee_pfc(View datagram, std::uint32_t sequence, Take take)
{
    const auto answer = find_answer(datagram, sequence, kReadPfc);
    if (!answer) {
        return std::nullopt;
    }
    return answer->and_then([&](View payload) -> Result<T> {
        const auto ieee = attribute_of(after(payload, sizeof(dcbmsg)), DCB_ATTR_IEEE);
        const auto pfc = ieee ? attribute_of(*ieee, DCB_ATTR_IEEE_PFC) : std::nullopt;
        if (!pfc) {
            return tl::unexpected(kernel_error(kReadPfc, EOPNOTSUPP));
        }
        const auto read = value_at<ieee_pfc>(*pfc);
        if (!read) {
            return tl::unexpected(short_answer(kReadPfc));
        }
        return take(*read);
    });
}

}  // namespace

Answer<Pfc> read_pfc(View datagram, std::uint32_t sequence)
{
    return read_ieee_pfc<Pfc>(datagram, sequence, [](const ieee_pfc& read) {
        return Pfc{read.pfc_en, read.pfc_cap, read.mbc != 0, read.delay};
    });
}

Answer<PfcCounts> read_pfc_counts(View datagram, std::uint32_t sequence)
{
    return read_ieee_pfc<PfcCounts>(datagram, sequence, [](const ieee_pfc& read) {
        PfcCounts counts;
        std::ranges::copy(read.requests, counts.sent.begin());
        std::ranges::copy(read.indications, counts.received.begin());
        return counts;
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

Answer<Dcbx> read_dcbx(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kReadDcbx);
    if (!answer) {
        return std::nullopt;
    }
    return answer->and_then([](View payload) -> Result<Dcbx> {
        const auto mode = number_in<std::uint8_t>(after(payload, sizeof(dcbmsg)), DCB_ATTR_DCBX);
        if (!mode) {
            return tl::unexpected(short_answer(kReadDcbx));
        }
        return Dcbx{(*mode & DCB_CAP_DCBX_HOST) != 0, (*mode & DCB_CAP_DCBX_LLD_MANAGED) != 0,
                    (*mode & DCB_CAP_DCBX_VER_IEEE) != 0};
    });
}

Answer<EthtoolFamily> read_family(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kFindEthtool);
    if (!answer) {
        return std::nullopt;
    }
    return answer->and_then([](View payload) -> Result<EthtoolFamily> {
        const auto attributes = after(payload, sizeof(genlmsghdr));
        const auto number = number_in<std::uint16_t>(attributes, CTRL_ATTR_FAMILY_ID);
        if (!number) {
            return tl::unexpected(short_answer(kFindEthtool));
        }
        EthtoolFamily family{*number, 0};
        auto groups = attribute_of(attributes, CTRL_ATTR_MCAST_GROUPS).value_or(View{});
        while (const auto header = value_at<nlattr>(groups)) {
            if (header->nla_len < sizeof(nlattr) || header->nla_len > groups.size()) {
                break;
            }
            const auto group = groups.subspan(sizeof(nlattr), header->nla_len - sizeof(nlattr));
            const auto name = attribute_of(group, CTRL_ATTR_MCAST_GRP_NAME);
            if (name && text_of(*name) == kMonitor) {
                family.monitor = number_in<std::uint32_t>(group, CTRL_ATTR_MCAST_GRP_ID).value_or(0);
            }
            groups = groups.subspan(std::min(groups.size(), aligned(header->nla_len)));
        }
        return family;
    });
}

Answer<std::optional<LinkReason>> read_link_reason(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kReadReason);
    if (!answer) {
        return std::nullopt;
    }
    return answer->map([](View payload) -> std::optional<LinkReason> {
        const auto attributes = after(payload, sizeof(genlmsghdr));
        const auto state = number_in<std::uint8_t>(attributes, ETHTOOL_A_LINKSTATE_EXT_STATE);
        if (!state) {
            return std::nullopt;
        }
        const auto detail = number_in<std::uint8_t>(attributes, ETHTOOL_A_LINKSTATE_EXT_SUBSTATE);
        return LinkReason{*state, detail.value_or(0)};
    });
}

Answer<StandardCounts> read_pause_counts(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kReadCounts);
    if (!answer) {
        return std::nullopt;
    }
    return answer->map([](View payload) {
        const auto counts = attribute_of(after(payload, sizeof(genlmsghdr)), ETHTOOL_A_PAUSE_STATS).value_or(View{});
        StandardCounts read;
        read.pause_sent = number_in<std::uint64_t>(counts, ETHTOOL_A_PAUSE_STAT_TX_FRAMES);
        read.pause_received = number_in<std::uint64_t>(counts, ETHTOOL_A_PAUSE_STAT_RX_FRAMES);
        read.storms = number_in<std::uint64_t>(counts, kPauseStormEvents);
        return read;
    });
}

// A group of counters has a nest for each counter, whose only attribute has the counter's number as its type.
Answer<StandardCounts> read_control_counts(View datagram, std::uint32_t sequence)
{
    const auto answer = find_answer(datagram, sequence, kReadCounts);
    if (!answer) {
        return std::nullopt;
    }
    return answer->map([](View payload) {
        StandardCounts read;
        auto group = attribute_of(after(payload, sizeof(genlmsghdr)), ETHTOOL_A_STATS_GRP).value_or(View{});
        while (const auto header = value_at<nlattr>(group)) {
            if (header->nla_len < sizeof(nlattr) || header->nla_len > group.size()) {
                break;
            }
            const auto counter = group.subspan(sizeof(nlattr), header->nla_len - sizeof(nlattr));
            if ((header->nla_type & kTypeMask) == ETHTOOL_A_STATS_GRP_STAT) {
                const auto sent = number_in<std::uint64_t>(counter, ETHTOOL_A_STATS_ETH_CTRL_3_TX);
                const auto received = number_in<std::uint64_t>(counter, ETHTOOL_A_STATS_ETH_CTRL_4_RX);
                read.control_sent = sent ? sent : read.control_sent;
                read.control_received = received ? received : read.control_received;
            }
            group = group.subspan(std::min(group.size(), aligned(header->nla_len)));
        }
        return read;
    });
}

Changes read_changes(View datagram, const std::optional<EthtoolFamily>& family, std::string_view interface)
{
    Changes all;
    while (const auto header = value_at<nlmsghdr>(datagram)) {
        if (header->nlmsg_len < sizeof(nlmsghdr) || header->nlmsg_len > datagram.size()) {
            break;
        }
        const auto payload = datagram.subspan(sizeof(nlmsghdr), header->nlmsg_len - sizeof(nlmsghdr));
        const auto one = change_in(*header, payload, family, interface);
        all.link = all.link || one.link;
        all.settings = all.settings || one.settings;
        datagram = datagram.subspan(std::min(datagram.size(), aligned(header->nlmsg_len)));
    }
    return all;
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
