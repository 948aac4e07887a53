// The method of SONiC's own watchdog: scripts that run in the server over all queues at each poll and store their state
// among the counters, one to detect storms and one to end them. The scripts here are written for the bench. Per queue
// they make as many calls of each kind as SONiC's scripts in the same state of the queue:
//
//   detect, operational, switch with pause time (Mellanox): HKEYS, 15 HGET, 4 HSET
//   detect, operational, switch with pause state (Broadcom): HKEYS, 18 HGET, 5 HSET
//   detect, stormed: HKEYS, 3 HGET
//   restore, operational: HKEYS, 4 HGET
//   restore, stormed: HKEYS, 10 HGET, 2 HSET
#pragma once

#include <string_view>

namespace petrel::bench {

struct Scripts {
    std::string_view detect;
    std::string_view restore;
};

// The common beginning of all scripts: `charge` returns the rest of a limit after this poll.
inline constexpr std::string_view kScriptHead = R"(
local interval = tonumber(ARGV[1]) * 1000
local get = function(key, field) return redis.call('HGET', key, field) end
local set = function(key, field, value) redis.call('HSET', key, field, value) end
local function charge(oid, word, holds, left, limit)
  if not holds then return limit end
  if left > interval then return left - interval end
  redis.call('PUBLISH', 'PFC_WD_ACTION_BENCH', oid .. word)
  return limit
end
)";

inline constexpr std::string_view kRestore = R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  redis.call('HKEYS', queue)
  local status = get(queue, 'PFC_WD_STATUS')
  local limit = get(queue, 'PFC_WD_RESTORATION_TIME')
  local action = get(queue, 'PFC_WD_ACTION')
  local red = get(queue, 'BIG_RED_SWITCH_MODE')
  if status ~= 'operational' and action ~= 'alert' and not red and limit ~= '' then
    limit = tonumber(limit)
    local left = tonumber(get(queue, 'PFC_WD_RESTORATION_TIME_LEFT')) or limit
    local class = get('COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. get('COUNTERS_QUEUE_PORT_MAP', oid)
    local name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local frames = tonumber(get(port, name))
    local before = tonumber(get(port, name .. '_last'))
    local asked = get(queue, 'DEBUG_STORM')
    if before then
      left = charge(oid, 'restore', frames == before and asked ~= 'enabled', left, limit)
    end
    set(queue, 'PFC_WD_RESTORATION_TIME_LEFT', left)
    set(port, name .. '_last', frames)
  end
end
)";

inline constexpr Scripts kScriptsByTime{R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  redis.call('HKEYS', queue)
  local status = get(queue, 'PFC_WD_STATUS')
  local action = get(queue, 'PFC_WD_ACTION')
  local red = get(queue, 'BIG_RED_SWITCH_MODE')
  if not red and (status == 'operational' or action == 'alert') then
    local limit = tonumber(get(queue, 'PFC_WD_DETECTION_TIME'))
    local left = tonumber(get(queue, 'PFC_WD_DETECTION_TIME_LEFT')) or limit
    local class = get('COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. get('COUNTERS_QUEUE_PORT_MAP', oid)
    local frames_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local time_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PAUSE_DURATION_US'
    local fill = tonumber(get(queue, 'SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES'))
    local sent = tonumber(get(queue, 'SAI_QUEUE_STAT_PACKETS'))
    local frames = tonumber(get(port, frames_name))
    local time = tonumber(get(port, time_name))
    local sent_before = tonumber(get(queue, 'SAI_QUEUE_STAT_PACKETS_last'))
    local frames_before = get(port, frames_name .. '_last')
    local time_before = tonumber(get(port, time_name .. '_last'))
    local asked = get(queue, 'DEBUG_STORM')
    if sent_before and frames_before and time_before then
      local storm = fill > 0 and sent == sent_before and time - time_before > 0.99 * interval
      left = charge(oid, 'storm', storm or asked == 'enabled', left, limit)
    end
    set(queue, 'SAI_QUEUE_STAT_PACKETS_last', sent)
    set(queue, 'PFC_WD_DETECTION_TIME_LEFT', left)
    set(port, frames_name .. '_last', frames)
    set(port, time_name .. '_last', time)
  end
end
)",
                                        kRestore};

inline constexpr Scripts kScriptsByState{R"(
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  redis.call('HKEYS', queue)
  local status = get(queue, 'PFC_WD_STATUS')
  local action = get(queue, 'PFC_WD_ACTION')
  local red = get(queue, 'BIG_RED_SWITCH_MODE')
  if not red and (status == 'operational' or action == 'alert') then
    local limit = tonumber(get(queue, 'PFC_WD_DETECTION_TIME'))
    local left = tonumber(get(queue, 'PFC_WD_DETECTION_TIME_LEFT')) or limit
    local class = get('COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. get('COUNTERS_QUEUE_PORT_MAP', oid)
    local frames_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local ends_name = 'SAI_PORT_STAT_PFC_' .. class .. '_ON2OFF_RX_PKTS'
    local fill = tonumber(get(queue, 'SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES'))
    local sent = tonumber(get(queue, 'SAI_QUEUE_STAT_PACKETS'))
    local frames = tonumber(get(port, frames_name))
    local ends = tonumber(get(port, ends_name))
    local paused = get(queue, 'SAI_QUEUE_ATTR_PAUSE_STATUS')
    local sent_before = get(queue, 'SAI_QUEUE_STAT_PACKETS_last')
    local frames_before = tonumber(get(port, frames_name .. '_last'))
    local ends_before = tonumber(get(port, ends_name .. '_last'))
    local paused_before = get(queue, 'SAI_QUEUE_ATTR_PAUSE_STATUS_last')
    local asked = get(queue, 'DEBUG_STORM')
    if fill and sent_before and frames_before and ends_before and paused_before then
      local both = paused == 'true' and paused_before == 'true'
      left = charge(oid, 'storm', (both and frames > frames_before and ends == ends_before) or asked == 'enabled',
        left, limit)
      if get(queue, 'PFC_STAT_HISTORY') == 'enable' then error('the bench keeps no history') end
    end
    set(queue, 'SAI_QUEUE_ATTR_PAUSE_STATUS_last', paused)
    set(queue, 'SAI_QUEUE_STAT_PACKETS_last', sent)
    set(queue, 'PFC_WD_DETECTION_TIME_LEFT', left)
    set(port, frames_name .. '_last', frames)
    set(port, ends_name .. '_last', ends)
  end
end
)",
                                         kRestore};

}  // namespace petrel::bench
