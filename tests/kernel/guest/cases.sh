# The cases of the first boot, in the order in which they run. One agent watches all interfaces.

ALL="nic0 nic1 nic2 nic3"

begin "doctor runs and names what each interface can do"
petrel-host doctor >/doctor 2>&1 || wrong "exit code $?"
grep -A1 "^nic0: driver mlx5_core" /doctor | grep -q "watched    yes; a storm is detected after 100 ms" || wrong "$(cat /doctor)"
grep -A1 "^nic3: driver bnxt_en" /doctor | grep -q "watched    yes; a storm is detected after 2000 ms" || wrong "$(cat /doctor)"
grep -A1 "^nic4: driver tg3" /doctor | grep -q "monitored only" || wrong "$(cat /doctor)"
doctor nic0 "DCBX       a program of this host decides"
doctor nic0 "prevention the NIC stops its pause itself after 8000 ms of a stall; the agent shortens it"
doctor nic0 "run: ethtool --set-tunable nic0 pfc-prevention-tout 65535"
doctor nic0 "0 of link pause sent, 0 received"
case $(uname -r) in
    5.10.*) ;; # does not count them
    *) doctor nic0 "counted    0 MAC control frames sent (pause and PFC), 0 received" ;;
esac
doctor nic2 "run: ethtool --set-priv-flags nic2 fw-lldp-agent off"
put nic1 firmware_dcbx 1
doctor nic1 "DCBX       the firmware decides"
doctor nic1 "run: dcb dcbx set dev nic1 host ieee"
healthy nic1
end

start

begin "the loop and the threads of the NICs have real-time priority, and memory is locked"
eventually "all NICs are watched" grep -q "agent_ready: watches 4 of 4 devices" /agent.log
same "threads with SCHED_FIFO" $(real_time_threads) 5
# Pages are locked when they are first used: what is reserved and never used takes no memory.
[ $(memory VmLck) -gt 0 ] || wrong "no memory is locked"
between "used kB" 1 $(memory VmRSS) 65536
same "notes about it" $(grep -c "real-time" /agent.log) 0
end

begin "the agent arms the stall prevention of the NICs that have it"
for nic in nic0 nic1; do
    same "notes about $nic" "$(grep -c "$nic: .*pfc-prevention-tout) is armed: 100 ms, was 8000 ms" /agent.log)" 1
    doctor $nic "prevention the NIC stops its pause itself after 100 ms of a stall"
done
end

begin "short stalls, pause while receiving, received pause and stale or restarted counters are no storms"
put nic0 pulse_ms 60
put nic0 pulse_every_ms 250
put nic1 pause_percent 95
put nic2 paused 1
put nic3 refresh_ms 1000
put nic3 pause_percent 95
for round in 1 2 3; do
    for nic in nic0 nic1 nic2; do
        done_within_a_minute polls $nic 60
        put $nic reset 1
    done
done
done_within_a_minute polls nic3 3 # one each second
for nic in $ALL; do
    same "writes to $nic" $(get $nic sets) 0
    same "PFC of $nic" $(get $nic pfc) 8
    for kind in nic_latched storm_detected storm_alert mitigation_failed; do
        same "$kind of $nic" $(count $nic $kind) 0
    done
    healthy $nic
done
end

begin "a stall turns PFC off, and the kernel shows it"
for nic in nic0 nic2; do
    put $nic stall 1
    done_within_a_minute off $nic
    same "PFC of $nic" $(get $nic pfc) 0
    same "writes to $nic" $(get $nic sets) 1
    between "ms to PFC off at $nic" 80 $(($(get $nic off_after_ns) / 1000000)) 5000
    eventually "$nic is latched" grep_events $nic nic_latched
    same "failures at $nic" $(count $nic mitigation_failed) 0
done
same "notes of other priorities" $(grep -c "another priority" /agent.log) 0
end

begin "counters that are renewed each second: a stall is found after two of them"
put nic3 refresh_ms 1000
done_within_a_minute polls nic3 2
put nic3 stall 1
done_within_a_minute off nic3
between "ms to PFC off" 1000 $(($(get nic3 off_after_ns) / 1000000)) 20000
repaired nic3
end

begin "another process turns PFC on: the agent turns it off again and reports it"
put nic0 pfc 8
done_within_a_minute off nic0
same "PFC" $(get nic0 pfc) 0
same "latches" $(count nic0 nic_latched) 1
put nic0 pfc 8
done_within_a_minute off nic0
same "notes" $(grep -c "has undone the treatment of the latched NIC once" /agent.log) 1
end

begin "a stall that the NIC finds itself latches it"
repaired nic2
repaired nic0
put nic0 storm 1
done_within_a_minute off nic0
same "latches by the NIC" $(grep_events nic0 nic_latched | grep -c '"reason":"device"') 1
end

begin "a link that goes down has the reason of the driver"
put nic2 ext_state 6 # ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE
put nic2 link 0
eventually "the link is down" grep_events nic2 link_down
same "the reason" "$(grep_events nic2 link_down | grep -c "ethtool.ext 5.0 = 0x0309 CABLE_ISSUE_UNSPEC")" 1
put nic2 link 1
eventually "the link is up" grep_events nic2 link_up
petrel-host link show nic2 --history | grep -q "ethtool.ext 5.0" || wrong "$(petrel-host link show nic2 --history)"
end

begin "a driver that refuses: an event names the failure, and PFC goes off when the driver obeys"
put nic1 refuse 95 # EOPNOTSUPP
put nic1 stall 1
eventually "nic1 cannot be treated" grep_events nic1 mitigation_failed
same "PFC" $(get nic1 pfc) 8
same "requests to shut the switch port" $(count nic1 close_switch_port) 1
put nic1 refuse 0
done_within_a_minute off nic1
eventually "the latch is announced" more_events nic1 nic_latched 1
same "failures" $(count nic1 mitigation_failed) 1
repaired nic1
end

begin "firmware that manages DCBX: an event names the failure, and PFC stays on"
before=$(count nic1 mitigation_failed)
put nic1 firmware_dcbx 1
put nic1 stall 1
eventually "nic1 cannot be treated" more_events nic1 mitigation_failed $before
same "PFC" $(get nic1 pfc) 8
healthy nic1
end

begin "a driver that ignores the write: the read-back shows it"
before=$(count nic2 mitigation_failed)
put nic2 ignore 1
put nic2 stall 1
eventually "the read-back differs" more_events nic2 mitigation_failed $before
same "PFC" $(get nic2 pfc) 8
healthy nic2
end

begin "a release does not end the latch, with or without an agent"
writes=$(get nic0 sets)
petrel-host release nic0 >/dev/null 2>&1 && wrong "release of a latched NIC succeeds"
petrel-host release-all | grep -q "nic0 is latched until it is repaired" || wrong "release-all does not name nic0"
stop TERM
petrel-host release-all --device linux:nic0 --state-dir $STATE --control-socket $PETREL_CONTROL_SOCKET 2>/dev/null |
    grep -q "nic0 is latched until it is repaired" || wrong "release-all without an agent does not name nic0"
start
done_within_a_minute polls nic0 30
same "PFC" $(get nic0 pfc) 0
same "writes" $(get nic0 sets) $writes
end

begin "the latch survives a restart of the agent, which writes nothing"
writes=$(get nic0 sets)
stop TERM
same "PFC without an agent" $(get nic0 pfc) 0
start
done_within_a_minute polls nic0 30
same "PFC" $(get nic0 pfc) 0
same "writes" $(get nic0 sets) $writes
same "latches" $(count nic0 nic_latched) 2
end

begin "the latch survives kill -9, and PFC that was turned on meanwhile goes off again"
stop KILL
put nic0 pfc 8
start
done_within_a_minute off nic0
same "PFC" $(get nic0 pfc) 0
end

begin "the latch survives a reload of the driver"
rmmod petrel_nic
make_nics
done_within_a_minute off nic0
same "PFC" $(get nic0 pfc) 0
same "writes to the new interface" $(get nic0 sets) 1
end

begin "a NIC that is monitored only: doctor shows its PFC frames by priority"
put nic4 stall 1
eventually "nic4 has sent PFC" sh -c "petrel-host doctor nic4 | grep -q 'PFC sent [1-9][0-9]* of priority 3, received 0'"
healthy nic4
end

begin "a repaired NIC has its PFC back, and a new stall is found"
repaired nic0
same "PFC" $(get nic0 pfc) 8
put nic0 stall 1
done_within_a_minute off nic0
repaired nic0
end

begin "a member of a bond that receives nothing is healthy while the other one receives"
load bonding || wrong "no bonds"
ip link add bond0 type bond
for nic in nic0 nic1; do
    ip link set $nic down
    echo +$nic >/sys/class/net/bond0/bonding/slaves
done
done_within_a_minute polls nic0 200 # once a second the agent reads who shares the port
writes=$(get nic0 sets)
put nic0 stall 1
done_within_a_minute polls nic0 60
same "writes" $(get nic0 sets) $writes
put nic1 stall 1
done_within_a_minute off nic0
done_within_a_minute off nic1
for nic in nic0 nic1; do
    echo -$nic >/sys/class/net/bond0/bonding/slaves
    ip link set $nic up
    repaired $nic
done
ip link del bond0
end

begin "kill -9 at any step of a stall: the next agent finishes what is left"
for reads in 1 6 11 20; do
    put nic0 stall 1
    polls nic0 $reads
    stop KILL
    start
    done_within_a_minute off nic0
    healthy nic0
    eventually "nic0 is latched and repaired" petrel-host repaired nic0
    stop KILL # the answer comes after the decision is stored, and maybe before PFC is on
    start
    done_within_a_minute on nic0
    same "PFC after a kill at $reads reads" $(get nic0 pfc) 8
done
end

begin "kill -9 at any step of a start: the next agent keeps the latch"
put nic0 stall 1
done_within_a_minute off nic0
for reads in 1 2 3; do
    stop KILL
    rm -f $STATE/starts
    launch
    polls nic0 $reads
done
stop KILL
start
done_within_a_minute polls nic0 30
same "PFC" $(get nic0 pfc) 0
end
stop TERM

begin "a driver that refuses, with port_down_if_refused: the interface goes down until it is repaired"
printf '[[device]]\ndriver = "linux:nic1"\n[[policy]]\npreset = "rdma-nic"\nport_down_if_refused = true\n' >/down.toml
start --config /down.toml
put nic1 refuse 95
put nic1 stall 1
eventually "nic1 is down" is_down nic1
same "PFC" $(get nic1 pfc) 8
stop KILL
start --config /down.toml
eventually "the agent polls" petrel-host status
is_down nic1 || wrong "a restart takes nic1 up"
healthy nic1
petrel-host repaired nic1 >/dev/null
eventually "nic1 is up" is_up nic1
stop TERM
end

healthy nic0

begin "an RDMA device on a NIC: its counters are read"
doctor nic0 "watched    yes"
petrel-host doctor nic0 | grep -q "^  RDMA" && wrong "the doctor names RDMA where there is none"
load crc32_generic
load rdma_rxe || wrong "no RDMA in software"
rdma link add rxe0 type rxe netdev nic0 || wrong "no RDMA device"
grep -qx nic0 /sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/0 || wrong "the RDMA device is not that of nic0"
doctor nic0 "RDMA       its RDMA device reports none of rx_write_requests, rx_read_requests, rx_atomic_requests"
petrel-host doctor nic1 | grep -q "^  RDMA" && wrong "nic1 has the RDMA device of nic0"
rdma link delete rxe0
end

begin "without privileges: doctor says so, and the agent reports that it cannot treat"
mkdir /unprivileged
chown 65534:65534 /unprivileged
same "doctor" "$(as_nobody petrel-host doctor nic0 | grep -c "needs CAP_NET_ADMIN, which this process lacks")" 1
put nic0 pfc 8
STATE=/unprivileged/state
PETREL_CONTROL_SOCKET=/unprivileged/control.sock
launch_as_nobody
eventually "the agent answers" petrel-host status
put nic0 stall 1
eventually "nic0 cannot be treated" grep_events nic0 mitigation_failed
same "PFC" $(get nic0 pfc) 8
same "the priority in the log" "$(grep -c "device_note nic0: no real-time priority: .*LimitRTPRIO=1" /unprivileged/agent.log)" 1
same "the priority in the status" "$(petrel-host status | grep -c "no real-time priority")" 1
same "the privilege in the log" "$(grep -c -m1 "CAP_NET_ADMIN" /unprivileged/agent.log)" 1
stop TERM
end

# The next boot gets what a reboot of a host leaves: the agent's folder, with a latch of nic0.
echo "kernel test: state $(tar -C / -cz state | base64 | tr -d '\n')"
