// Buffer settings by their effect on the neighbour: at which fill level a group sends XOFF and XON, and what is lost
// without space.
#include "loaded_library.hpp"

namespace petrel::test {
namespace {

namespace profile_attr = sai::profile_attr;
namespace pool_attr = sai::pool_attr;
namespace group_attr = sai::group_attr;

sai::Value alpha(std::int8_t n)
{
    sai::Value value{};
    value.s8 = n;
    return value;
}

class Buffers : public LoadedLibrary {
protected:
    void start_with_neighbour(std::string_view scenario)
    {
        start(scenario);
        s1_ = create("s1");
    }
    // PFC frames that the port of s1 towards s0 has received, and pauses that ended there.
    std::uint64_t received() const { return stat(ports->get_stats, port(1, s1_), sai::port_stat::pfc_rx_pkts(3)); }
    std::uint64_t resumed() const
    {
        return stat(ports->get_stats, port(1, s1_), sai::port_stat::pfc_on2off_rx_pkts(3));
    }
    std::uint64_t lost() const
    {
        return stat(buffers->get_group_stats, group(kUplink), sai::group_stat::dropped_packets);
    }

    ObjectId profile_of(ObjectId group_id) const
    {
        sai::Attribute attribute_read{group_attr::buffer_profile, {}};
        EXPECT_EQ(buffers->get_group(group_id, 1, &attribute_read), status::success);
        return attribute_read.value.oid;
    }
    ObjectId pool_of(ObjectId profile) const
    {
        sai::Attribute attribute_read{profile_attr::pool_id, {}};
        EXPECT_EQ(buffers->get_profile(profile, 1, &attribute_read), status::success);
        return attribute_read.value.oid;
    }
    ObjectId create_profile(ObjectId pool, std::vector<sai::Attribute> attributes)
    {
        attributes.push_back({profile_attr::pool_id, object(pool)});
        ObjectId created{};
        EXPECT_EQ(
            buffers->create_profile(&created, s0, static_cast<std::uint32_t>(attributes.size()), attributes.data()),
            status::success);
        return created;
    }
    ObjectId static_profile(std::uint64_t limit, std::uint64_t xoff, std::uint64_t xon = 0)
    {
        return create_profile(pool_of(profile_of(group(kUplink))),
                              {{profile_attr::threshold_mode, word(sai::ThresholdMode::static_)},
                               {profile_attr::shared_static_th, bytes(limit)},
                               {profile_attr::xoff_th, bytes(xoff)},
                               {profile_attr::xon_th, bytes(xon)},
                               {profile_attr::xon_offset_th, bytes(limit)}});
    }
    void bind(ObjectId profile)
    {
        const sai::Attribute given{group_attr::buffer_profile, object(profile)};
        EXPECT_EQ(buffers->set_group(group(kUplink), &given), status::success);
    }
    void set_profile(ObjectId profile, sai::AttrId attribute, const sai::Value& value)
    {
        const sai::Attribute given{attribute, value};
        EXPECT_EQ(buffers->set_profile(profile, &given), status::success);
    }
    void set_pool(ObjectId pool, sai::AttrId attribute, std::uint64_t value)
    {
        const sai::Attribute given{attribute, bytes(value)};
        EXPECT_EQ(buffers->set_pool(pool, &given), status::success);
    }

private:
    ObjectId s1_{};
};

TEST_F(Buffers, TheScenariosThresholdIsNotReachedInThisStorm)
{
    start_with_neighbour(kStorm);
    step_ms(400);
    EXPECT_EQ(received(), 0U);
    EXPECT_EQ(lost(), 0U);
}

TEST_F(Buffers, AStaticThresholdStopsTheNeighbour)
{
    start_with_neighbour(kStorm);
    bind(static_profile(20'000, 20'000));
    step_ms(400);
    EXPECT_GT(received(), 0U);
    EXPECT_EQ(lost(), 0U);
    EXPECT_NEAR(static_cast<double>(
                    stat(buffers->get_group_stats, group(kUplink), sai::group_stat::shared_curr_occupancy_bytes)),
                20'000, 1100);
}

TEST_F(Buffers, AlphaIsAPowerOfTwoTimesTheFreeBytes)
{
    start_with_neighbour(kStorm);
    set_profile(profile_of(group(kUplink)), profile_attr::shared_dynamic_th, alpha(-8));
    step_ms(400);
    EXPECT_GT(received(), 0U);
    EXPECT_EQ(lost(), 0U);
    sai::Attribute shared{pool_attr::shared_size, {}};
    ASSERT_EQ(buffers->get_pool(pool_of(profile_of(group(kUplink))), 1, &shared), status::success);
    const auto free = static_cast<double>(shared.value.u64) - 2 * static_cast<double>(shared.value.u64) / 256;
    EXPECT_NEAR(static_cast<double>(
                    stat(buffers->get_group_stats, group(kUplink), sai::group_stat::shared_curr_occupancy_bytes)),
                free / 256, 1500);
}

TEST_F(Buffers, ASmallerPoolMakesTheSameAlphaStopEarlier)
{
    start_with_neighbour(kStorm);
    const auto pool = pool_of(profile_of(group(kUplink)));
    sai::Attribute sizes[]{{pool_attr::size, {}}, {pool_attr::shared_size, {}}};
    ASSERT_EQ(buffers->get_pool(pool, 2, sizes), status::success);
    const auto reserved = sizes[0].value.u64 - sizes[1].value.u64;
    set_pool(pool, pool_attr::size, reserved + 200'000);
    step_ms(400);
    EXPECT_GT(received(), 0U);
}

TEST_F(Buffers, AGroupWithoutRoomBeyondXoffIsLossy)
{
    start_with_neighbour(kStorm);
    bind(static_profile(20'000, 0));
    step_ms(400);
    EXPECT_EQ(received(), 0U);
    EXPECT_GT(lost(), 100U);
}

TEST_F(Buffers, AGroupWithoutAProfileHasNoBuffer)
{
    start_with_neighbour(kStorm);
    bind(sai::kNullObject);
    step_ms(100);
    EXPECT_NEAR(static_cast<double>(host_received("h1")), kPackets / 2.0, 2) << "only those that came by another port";
    EXPECT_NEAR(static_cast<double>(lost()), kPackets / 2.0, 2);
    EXPECT_EQ(received(), 0U);
    EXPECT_EQ(stat(buffers->get_group_stats, group(kUplink), sai::group_stat::curr_occupancy_bytes), 0U);
}

TEST_F(Buffers, SharedHeadroomThatIsTooSmallLosesFrames)
{
    start_with_neighbour(kStorm);
    bind(static_profile(20'000, 20'000));
    set_pool(pool_of(profile_of(group(kUplink))), pool_attr::xoff_size, 100);
    step_ms(400);
    EXPECT_GT(received(), 0U);
    EXPECT_GT(lost(), 0U);
}

TEST_F(Buffers, ALowerXonMakesFewerAndLongerPauses)
{
    auto scenario = std::string{kStorm};
    scenario += "[[fault]]\nat = \"700ms\"\nkind = \"slow-port\"\nport = \"s0:Ethernet1\"\nrate = \"10M\"\n";
    start_with_neighbour(scenario);
    const auto profile = static_profile(100'000, 50'000, 90'000);
    bind(profile);
    step_ms(1000);
    const auto pauses_in_8_s = [&] {
        const auto before = resumed();
        step_ms(8000);
        return resumed() - before;
    };
    const auto high = pauses_in_8_s();
    set_profile(profile, profile_attr::xon_th, bytes(10'000));
    const auto low = pauses_in_8_s();
    EXPECT_GT(low, 1U);
    EXPECT_GT(high, 3 * low);
    set_profile(profile, profile_attr::xon_offset_th, bytes(10'000));  // 10 kB below the limit, again
    EXPECT_GT(pauses_in_8_s(), 3 * low);
}

TEST_F(Buffers, UsedObjectsStayAndTheHardwareLimitsTheNumberOfPools)
{
    start_with_neighbour(kStorm);
    const auto used = profile_of(group(kUplink));
    EXPECT_EQ(buffers->remove_profile(used), status::object_in_use);
    EXPECT_EQ(buffers->remove_pool(pool_of(used)), status::object_in_use);
    const auto unused = static_profile(1, 1);
    EXPECT_EQ(buffers->remove_profile(unused), status::success);
    EXPECT_EQ(buffers->remove_profile(unused), status::invalid_object_id);

    const std::array attributes{sai::Attribute{pool_attr::type, word(sai::PoolType::ingress)},
                                sai::Attribute{pool_attr::size, bytes(1'000'000)}};
    const std::array egress{sai::Attribute{pool_attr::type, word(sai::PoolType::egress)}};
    ObjectId created{};
    EXPECT_EQ(buffers->create_pool(&created, s0, 1, egress.data()), status::invalid_attr_value_0);
    EXPECT_EQ(buffers->create_pool(&created, s0, 0, nullptr), status::mandatory_attribute_missing);
    for (int i = 0; i != 3; ++i) {
        EXPECT_EQ(buffers->create_pool(&created, s0, 2, attributes.data()), status::success);
    }
    EXPECT_EQ(buffers->create_pool(&created, s0, 2, attributes.data()), status::table_full);
    EXPECT_EQ(buffers->remove_pool(created), status::success);
    EXPECT_EQ(buffers->create_pool(&created, s0, 2, attributes.data()), status::success);
}

TEST_F(Buffers, AGroupWithItsOwnPoolIsIndependentOfOthers)
{
    start_with_neighbour(kStorm);
    const std::array attributes{sai::Attribute{pool_attr::type, word(sai::PoolType::ingress)},
                                sai::Attribute{pool_attr::size, bytes(400'000)}};
    ObjectId pool{};
    ASSERT_EQ(buffers->create_pool(&pool, s0, 2, attributes.data()), status::success);
    const auto profile = create_profile(pool, {{profile_attr::threshold_mode, word(sai::ThresholdMode::dynamic)},
                                               {profile_attr::shared_dynamic_th, alpha(-3)},
                                               {profile_attr::xoff_th, bytes(20'000)}});
    bind(profile);
    step_ms(400);
    EXPECT_GT(received(), 0U);
    EXPECT_NEAR(static_cast<double>(stat(buffers->get_pool_stats, pool, sai::pool_stat::curr_occupancy_bytes)),
                400'000 / 9.0, 1500);
}

}  // namespace
}  // namespace petrel::test
