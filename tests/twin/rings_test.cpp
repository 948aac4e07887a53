// The two packet rings and the agenda, each compared with a simple model.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "fabric.hpp"
#include "twin/agenda.hpp"
#include "twin/packet_ring.hpp"
#include "twin/wire.hpp"

namespace petrel::twin {
namespace {

Packet numbered(std::uint32_t n)
{
    Packet p;
    p.flow = n;
    p.seq_ttl = ~n;
    return p;
}

// Many writes, then many reads, so that rings fill, grow and wrap.
std::vector<int> bursts() { return *rc::gen::container<std::vector<int>>(rc::gen::inRange(-70, 100)); }

RC_GTEST_PROP(PacketRing, IsAFifoOfAnySize, ())
{
    Arena arena;
    PacketRing ring;
    std::deque<std::uint32_t> model;
    std::uint32_t next = 0;
    for (int burst : bursts()) {
        for (; burst > 0; --burst) {
            ring.push(numbered(next), arena);
            model.push_back(next++);
        }
        for (; burst < 0 && !model.empty(); ++burst) {
            RC_ASSERT(ring.front().flow == model.front());
            RC_ASSERT(ring.pop().flow == model.front());
            model.pop_front();
        }
        RC_ASSERT(ring.size() == model.size());
        RC_ASSERT(ring.empty() == model.empty());
    }
}

TEST(PacketRing, IndicesMayRunOver)
{
    Arena arena;
    PacketRing ring;
    ring.head = ring.tail = UINT32_MAX - 5;
    for (std::uint32_t i = 0; i != 100; ++i)
        ring.push(numbered(i), arena);
    EXPECT_EQ(ring.size(), 100U);
    for (std::uint32_t i = 0; i != 100; ++i)
        EXPECT_EQ(ring.pop().flow, i);
    EXPECT_TRUE(ring.empty());
}

Packet take(WireOut& out)
{
    const std::uint32_t head = out.head.load(std::memory_order_relaxed);
    const Packet p = out.view()[head].packet;
    out.head.store(head + 1, std::memory_order_release);
    return p;
}

RC_GTEST_PROP(Wire, IsAFifoAndEndsWithAFrameThatNeverArrives, ())
{
    Arena arena;
    WireOut out;
    WireIn in;
    in.open(out, arena);
    std::deque<std::uint32_t> model;
    std::uint32_t next = 0;
    for (int burst : bursts()) {
        for (; burst > 0; --burst) {
            in.put(Ps{next} * 10, numbered(next), arena);
            model.push_back(next++);
        }
        for (; burst < 0 && !model.empty(); ++burst) {
            RC_ASSERT(out.front_at() == Ps{model.front()} * 10);
            RC_ASSERT(take(out).flow == model.front());
            model.pop_front();
        }
        RC_ASSERT((out.front_at() == kForever) == model.empty());
    }
}

// The reader falls behind by up to some hundred frames, so that the writer replaces the ring while it is read. Then it
// catches up, so that slots are reused. ThreadSanitizer checks this test.
TEST(Wire, HasAWriterAndAReaderAtTheSameTime)
{
    constexpr std::uint32_t kFrames = 200'000 / test::kScale;
    Arena arena;
    WireOut out;
    WireIn in;
    in.open(out, arena);
    std::atomic<std::uint32_t> read{0};
    std::jthread writer{[&] {
        for (std::uint32_t i = 0; i != kFrames; ++i) {
            while (i - read.load(std::memory_order_relaxed) > i / 64 % 512)
                std::this_thread::yield();
            in.put(Ps{i}, numbered(i), arena);
        }
    }};
    for (std::uint32_t i = 0; i != kFrames; ++i) {
        while (out.front_at() == kForever)
            std::this_thread::yield();
        ASSERT_EQ(out.front_at(), i);
        const Packet p = take(out);
        ASSERT_EQ(p.flow, i);
        ASSERT_EQ(p.seq_ttl, ~i);
        read.store(i + 1, std::memory_order_relaxed);
    }
    EXPECT_EQ(out.front_at(), kForever);
}

RC_GTEST_PROP(Agenda, RunsInOrderOfTimeForAnyOrderOfInsertion, ())
{
    std::vector<Todo> todos;
    const auto count = *rc::gen::inRange(0, 100);
    for (int i = 0; i != count; ++i)
        todos.push_back({*rc::gen::inRange<Ps>(0, 5), *rc::gen::element(Task::refresh, Task::call, Task::drain),
                         *rc::gen::inRange<std::uint8_t>(0, 3), *rc::gen::inRange<std::uint8_t>(0, 3),
                         static_cast<std::uint32_t>(i)});
    Agenda agenda;
    for (const Todo& todo : todos)
        agenda.add(todo);
    std::sort(todos.begin(), todos.end());
    for (const Todo& todo : todos) {
        RC_ASSERT(agenda.next() == todo.at);
        RC_ASSERT(agenda.pop() == todo);
    }
    RC_ASSERT(agenda.next() == kForever);
}

TEST(Agenda, RunsEachCallOnceAndThoseOfOneInstantAfterEverythingElse)
{
    Agenda agenda;
    std::vector<int> ran;
    agenda.call_at(5, [&](Ps) { ran.push_back(1); });
    agenda.call_at(3, [&](Ps) { ran.push_back(2); });
    agenda.add({5, Task::storm, 0, 0, 0});
    agenda.take_call(agenda.pop())(3);
    agenda.call_at(7, [&](Ps) { ran.push_back(3); });  // uses the row that became free
    EXPECT_EQ(agenda.pop().task, Task::storm);
    agenda.take_call(agenda.pop())(5);
    agenda.take_call(agenda.pop())(7);
    EXPECT_EQ(ran, (std::vector{2, 1, 3}));
    EXPECT_EQ(agenda.next(), kForever);
}

}  // namespace
}  // namespace petrel::twin
