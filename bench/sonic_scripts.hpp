// The other way to watch queues in Redis: scripts that run in the server over all queues at once and keep their memory
// there, one to detect storms and one to end them. Our own, with the predicate of our `sonic` policy; once with a call
// for each field, once with as few calls as they can.
#pragma once

#include <string_view>

namespace petrel::bench {

struct Script {
    std::string_view detect;
    std::string_view restore;
};

// What comes before either: `charge` gives what is left of a limit after this poll.
inline constexpr std::string_view kScriptHead = R"(
local interval = tonumber(ARGV[1]) * 1000
local function charge(oid, holds, left, limit)
  if not holds then return limit end
  if left > interval then return left - interval end
  redis.call('PUBLISH', 'PFC_WD_ACTION_BENCH', oid)
  return limit
end
)";

inline constexpr Script kScriptByField{R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  local status = redis.call('HGET', queue, 'PFC_WD_STATUS')
  local action = redis.call('HGET', queue, 'PFC_WD_ACTION')
  local red = redis.call('HGET', queue, 'BIG_RED_SWITCH_MODE')
  if not red and (status == 'operational' or action == 'alert') then
    local limit = tonumber(redis.call('HGET', queue, 'PFC_WD_DETECTION_TIME'))
    local left = tonumber(redis.call('HGET', queue, 'PFC_WD_DETECTION_TIME_LEFT')) or limit
    local class = redis.call('HGET', 'COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. redis.call('HGET', 'COUNTERS_QUEUE_PORT_MAP', oid)
    local rx_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local ends_name = 'SAI_PORT_STAT_PFC_' .. class .. '_ON2OFF_RX_PKTS'
    local time_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PAUSE_DURATION_US'
    local sent = tonumber(redis.call('HGET', queue, 'SAI_QUEUE_STAT_PACKETS'))
    local paused = redis.call('HGET', queue, 'SAI_QUEUE_ATTR_PAUSE_STATUS')
    local rx = tonumber(redis.call('HGET', port, rx_name))
    local ends = tonumber(redis.call('HGET', port, ends_name))
    local time = tonumber(redis.call('HGET', port, time_name))
    local ends_before = tonumber(redis.call('HGET', port, ends_name .. '_last'))
    local time_before = tonumber(redis.call('HGET', port, time_name .. '_last'))
    local asked = redis.call('HGET', queue, 'DEBUG_STORM')
    if ends_before and time_before then
      local whole = time - time_before >= interval * 0.99
      local storm = whole and ends == ends_before and paused == 'true'
      left = charge(oid, storm or asked == 'enabled', left, limit)
    end
    redis.call('HSET', queue, 'PFC_WD_DETECTION_TIME_LEFT', left)
    redis.call('HSET', queue, 'SAI_QUEUE_STAT_PACKETS_last', sent)
    redis.call('HSET', port, rx_name .. '_last', rx)
    redis.call('HSET', port, ends_name .. '_last', ends)
    redis.call('HSET', port, time_name .. '_last', time)
  end
end
)",
                                       R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  local status = redis.call('HGET', queue, 'PFC_WD_STATUS')
  local action = redis.call('HGET', queue, 'PFC_WD_ACTION')
  local limit = tonumber(redis.call('HGET', queue, 'PFC_WD_RESTORATION_TIME'))
  if limit and status == 'stormed' and action ~= 'alert' then
    local left = tonumber(redis.call('HGET', queue, 'PFC_WD_RESTORATION_TIME_LEFT')) or limit
    local class = redis.call('HGET', 'COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. redis.call('HGET', 'COUNTERS_QUEUE_PORT_MAP', oid)
    local rx_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local rx = tonumber(redis.call('HGET', port, rx_name))
    local rx_before = tonumber(redis.call('HGET', port, rx_name .. '_last'))
    left = charge(oid, rx == rx_before, left, limit)
    redis.call('HSET', queue, 'PFC_WD_RESTORATION_TIME_LEFT', left)
    redis.call('HSET', port, rx_name .. '_last', rx)
  end
end
)"};

inline constexpr Script kScriptInFewCalls{R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  local q = redis.call('HMGET', queue, 'PFC_WD_STATUS', 'PFC_WD_ACTION', 'BIG_RED_SWITCH_MODE', 'PFC_WD_DETECTION_TIME',
    'PFC_WD_DETECTION_TIME_LEFT', 'SAI_QUEUE_STAT_PACKETS', 'SAI_QUEUE_ATTR_PAUSE_STATUS', 'DEBUG_STORM')
  if not q[3] and (q[1] == 'operational' or q[2] == 'alert') then
    local limit = tonumber(q[4])
    local left = tonumber(q[5]) or limit
    local class = redis.call('HGET', 'COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. redis.call('HGET', 'COUNTERS_QUEUE_PORT_MAP', oid)
    local prefix = 'SAI_PORT_STAT_PFC_' .. class
    local rx_name, ends_name = prefix .. '_RX_PKTS', prefix .. '_ON2OFF_RX_PKTS'
    local time_name = prefix .. '_RX_PAUSE_DURATION_US'
    local p = redis.call('HMGET', port, rx_name, ends_name, time_name, ends_name .. '_last', time_name .. '_last')
    if p[4] and p[5] then
      local whole = tonumber(p[3]) - tonumber(p[5]) >= interval * 0.99
      left = charge(oid, (whole and p[2] == p[4] and q[7] == 'true') or q[8] == 'enabled', left, limit)
    end
    redis.call('HSET', queue, 'PFC_WD_DETECTION_TIME_LEFT', left, 'SAI_QUEUE_STAT_PACKETS_last', q[6])
    redis.call('HSET', port, rx_name .. '_last', p[1], ends_name .. '_last', p[2], time_name .. '_last', p[3])
  end
end
)",
                                          R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  local q = redis.call('HMGET', queue, 'PFC_WD_STATUS', 'PFC_WD_ACTION', 'PFC_WD_RESTORATION_TIME',
    'PFC_WD_RESTORATION_TIME_LEFT')
  if q[3] and q[1] == 'stormed' and q[2] ~= 'alert' then
    local limit = tonumber(q[3])
    local class = redis.call('HGET', 'COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. redis.call('HGET', 'COUNTERS_QUEUE_PORT_MAP', oid)
    local rx_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local p = redis.call('HMGET', port, rx_name, rx_name .. '_last')
    local left = charge(oid, p[1] == p[2], tonumber(q[4]) or limit, limit)
    redis.call('HSET', queue, 'PFC_WD_RESTORATION_TIME_LEFT', left)
    redis.call('HSET', port, rx_name .. '_last', p[1])
  end
end
)"};

}  // namespace petrel::bench
