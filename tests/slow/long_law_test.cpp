// The laws of the watchdog with twenty times as many cases: takes minutes and finds rare errors.
#define PETREL_LAW_CASES 30000
#include "watchdog/law_test.cpp"
