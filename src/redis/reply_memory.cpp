#include "redis/reply_memory.hpp"

#include <algorithm>
#include <new>

namespace petrel::redis {

// hiredis calls these for each element, in the order of the stream.
struct ReplyMemory::Make {
    static void* element(const redisReadTask* task, int type, redisReply init)
    {
        auto& pool = static_cast<ReplyMemory*>(task->privdata)->pool_;
        init.type = type;
        auto* reply = new (pool.allocate(sizeof(redisReply), alignof(redisReply))) redisReply{init};
        if (task->parent != nullptr) {
            static_cast<redisReply*>(task->parent->obj)->element[task->idx] = reply;
        }
        return reply;
    }

    static void* string(const redisReadTask* task, char* text, std::size_t size)
    {
        auto& pool = static_cast<ReplyMemory*>(task->privdata)->pool_;
        auto* copy = static_cast<char*>(pool.allocate(size + 1, 1));
        std::copy_n(text, size, copy);
        copy[size] = '\0';
        redisReply init{};
        init.str = copy;
        init.len = size;
        return element(task, task->type, init);
    }

    // The count is an int or a size_t, depending on the version of hiredis.
    template <class Count>
    static void* array(const redisReadTask* task, Count count)
    {
        auto& pool = static_cast<ReplyMemory*>(task->privdata)->pool_;
        const auto elements = static_cast<std::size_t>(count);
        redisReply init{};
        init.elements = elements;
        init.element =
            static_cast<redisReply**>(pool.allocate(elements * sizeof(redisReply*) + 1, alignof(redisReply*)));
        std::fill_n(init.element, elements, nullptr);
        return element(task, REDIS_REPLY_ARRAY, init);
    }

    static void* integer(const redisReadTask* task, long long value)
    {
        redisReply init{};
        init.integer = value;
        return element(task, REDIS_REPLY_INTEGER, init);
    }

    static void* nil(const redisReadTask* task) { return element(task, REDIS_REPLY_NIL, {}); }

    static void free(void*) {}  // clear() frees all of them
};

void ReplyMemory::serve(redisReader& reader)
{
    static redisReplyObjectFunctions functions = [] {
        redisReplyObjectFunctions all{};
        all.createString = Make::string;
        all.createArray = Make::array;
        all.createInteger = Make::integer;
        all.createNil = Make::nil;
        all.freeObject = Make::free;
        return all;
    }();
    reader.fn = &functions;
    reader.privdata = this;
}

}  // namespace petrel::redis
