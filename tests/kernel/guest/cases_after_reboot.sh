# The cases of the second boot: /state is what the first one left, with a latch of nic0. The machine was rebooted, so its
# boot id is another one.

start

later "a reboot ends the latch"
done_within_a_minute polls nic0 30
same "PFC" $(get nic0 pfc) 8
same "writes" $(get nic0 sets) 0
end

begin "after a reboot a stall is found"
petrel-host release nic0 >/dev/null # if the latch has not ended
done_within_a_minute on nic0
put nic0 stall 1
done_within_a_minute off nic0
end
