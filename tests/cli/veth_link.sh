#!/bin/bash
# Two network namespaces, connected by a veth pair: `petrel wire send ARGUMENTS` in one, `petrel wire count` and dumpcap in
# the other. Prints what the counter reports, then what tshark reads from the frames of dumpcap.
# usage: veth_link.sh PETREL FRAMES ARGUMENT...
set -euo pipefail
petrel=$1 frames=$2
shift 2
sender=petrel-send-$$ receiver=petrel-count-$$
folder=$(mktemp -d)
finish() {
    ip netns delete "$sender" 2>/dev/null || true
    ip netns delete "$receiver" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
ip netns add "$sender"
ip netns add "$receiver"
ip -n "$sender" link add veth0 type veth peer name veth0 netns "$receiver"
ip -n "$sender" link set veth0 address 02:00:00:00:00:07 up
ip -n "$receiver" link set veth0 up

wait_for() { # TEXT: in the lines of standard input
    local line
    while read -r line; do
        [[ "$line" != *"$1"* ]] || return 0
    done
    return 1
}

# Each receiver reports on a pipe when it has begun. The pipe stays open until the receiver has ended.
mkfifo "$folder/capture" "$folder/count"
ip netns exec "$receiver" dumpcap -q -i veth0 -f 'ether proto 0x8808' -c "$frames" -w "$folder/frames.pcap" \
    2>"$folder/capture" &
capture=$!
exec 3<"$folder/capture"
wait_for File: <&3
ip netns exec "$receiver" "$petrel" wire count veth0 --for-ms 60000 --frames "$frames" >"$folder/counted" 2>"$folder/count" &
count=$!
exec 4<"$folder/count"
wait_for counting <&4

ip netns exec "$sender" "$petrel" wire send veth0 "$@"
wait "$count"
wait "$capture"
cat "$folder/counted"
tshark -n -r "$folder/frames.pcap" -T fields -E separator=, -e eth.src -e macc.opcode -e macc.cbfc.enbv \
    -e macc.cbfc.pause_time.c3 -e macc.pause_time -e frame.len | sort | uniq -c | sed 's/^ *//'
