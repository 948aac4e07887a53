// The functions that run the commands of pfcwd; pfcwd.cpp has the grammar.
#pragma once

#include "sonic_tools/desk.hpp"

namespace petrel::sonic_tools {

// pfcwd_show.cpp
Outcome show_config(const Given&, Desk&);
Outcome show_stats(const Given&, Desk&);

// pfcwd_clear.cpp
Outcome clear_stats(const Given&, Desk&);

// pfcwd_start.cpp
Outcome start(const Given&, Desk&);
Outcome start_default(const Given&, Desk&);
Outcome stop(const Given&, Desk&);

// pfcwd_settings.cpp
Outcome set_interval(const Given&, Desk&);
Outcome set_counter_poll(const Given&, Desk&);
Outcome set_big_red_switch(const Given&, Desk&);
Outcome set_stat_history(const Given&, Desk&);

// pfcwd_agent.cpp: commands that only Petrel's agent can answer
Outcome show_history(const Given&, Desk&);
Outcome release(const Given&, Desk&);

}  // namespace petrel::sonic_tools
