# What the cases use: the faults of an interface, the agent, and what must hold.

NICS=mlx5_core,mlx5_core,ice,bnxt_en,tg3 # nic0, nic1 ...
FAULTS=/sys/kernel/debug/petrel_nic
STATE=/state
export PETREL_CONTROL_SOCKET=/run/control.sock

make_nics() {
    insmod /petrel_nic.ko nics=$NICS
    for nic in 0 1 2 3 4; do
        ip link set nic$nic up
    done
}

# ---- an interface: NIC SETTING VALUE; the settings are listed in README.md

put() { echo "$3" >$FAULTS/$1/$2 2>/dev/null; }
get() { cat $FAULTS/$1/$2; }
polls() { put $1 await_reads $2; }       # returns after so many more reads of its counters
off() { put $1 await_pause 0; }          # returns when it may no longer pause its switch
on() { put $1 await_pause 1; }
healthy() { # NIC: receives again, without faults
    for setting in stall pulse_ms pulse_every_ms pause_percent paused refresh_ms refuse ignore firmware_dcbx ext_state; do
        put $1 $setting 0
    done
}

load() { # MODULE of the kernel, with those that it needs
    for file in /modules/$1/*.ko; do
        insmod $file 2>/dev/null # fails if another module has loaded it
    done
    grep -q "^$1 " /proc/modules
}

is_up() { [ $(($(cat /sys/class/net/$1/flags) & 1)) = 1 ]; }
is_down() { ! is_up $1; }

# ---- the agent

launch() { # ARGUMENT...
    petrel-host agent --state-dir $STATE --control-socket $PETREL_CONTROL_SOCKET --log-to /agent.log "$@" 2>>/agent.err &
    agent=$!
}
as_nobody() { su -s /bin/sh nobody -c "$*"; }
launch_as_nobody() {
    su -s /bin/sh nobody -c "exec petrel-host agent --device linux:nic0 --state-dir $STATE \
        --control-socket $PETREL_CONTROL_SOCKET --log-to /unprivileged/agent.log" &
    agent=$!
}
start() {
    rm -f $STATE/starts # an agent that is started too often waits before it uses its devices; here it does not
    launch "$@"
    eventually "the agent answers" petrel-host status
}
real_time_threads() { # of the agent: field 41 of stat is the policy, 1 is SCHED_FIFO
    sed 's/.*) //' /proc/$agent/task/*/stat | awk '$39 == 1 { n++ } END { print n + 0 }'
}
memory() { awk -v what="$1:" '$1 == what { print $2 }' /proc/$agent/status; } # of the agent, in kB
stop() { # SIGNAL
    kill -$1 $agent
    wait $agent
}
repaired() {
    healthy $1
    petrel-host repaired $1 >/dev/null && on $1
}
grep_events() { petrel-host events --json | grep "\"event\":\"$2\".*\"port\":\"$1\""; } # NIC KIND
count() { grep_events $1 $2 | wc -l; }
more_events() { [ $(count $1 $2) -gt $3 ]; } # NIC KIND THAN

# ---- what must hold

name=
failed=

seconds() { cut -d. -f1 /proc/uptime; }

begin() {
    name=$1
    failed=
    began=$(seconds)
}
end() {
    [ -z "$failed" ] && echo "kernel test: ok: $name ($(($(seconds) - began)) s)" && return
    echo "kernel test: FAILED: $name"
    tail -n 30 /agent.log /agent.err | sed 's/^/kernel test: | /'
}
wrong() {
    failed=yes
    echo "kernel test: wrong in '$name': $*"
}
doctor() { # NIC TEXT
    petrel-host doctor $1 | grep -qF -- "$2" || wrong "the doctor of $1 does not say '$2': $(petrel-host doctor $1)"
}
same() { [ "$2" = "$3" ] || wrong "$1 is '$2', not '$3'"; } # WHAT IS SHOULD_BE
between() { # WHAT LEAST IS MOST
    [ "$2" -le "$3" ] && [ "$3" -le "$4" ] || wrong "$1 is $3, allowed $2..$4"
}
done_within_a_minute() { "$@" || wrong "$* did not happen within a minute"; }
eventually() { # WHAT COMMAND...: a command takes its time, so nothing else delays the next try
    what=$1
    shift
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { wrong "never: $what"; return; }
    done
}
