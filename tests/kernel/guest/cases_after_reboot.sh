# The cases of the second boot: /state is what the first one left, with a latch of nic0. The machine was rebooted, so its
# boot id is another one.

start

begin "a reboot ends the latch"
done_within_a_minute polls nic0 30
same "PFC" $(get nic0 pfc) 8
same "writes" $(get nic0 sets) 0
same "ends by the reboot" $(grep_events nic0 storm_restored | grep -c '"reason":"reboot"') 1
end

begin "after a reboot a stall is found"
put nic0 stall 1
done_within_a_minute off nic0
end
