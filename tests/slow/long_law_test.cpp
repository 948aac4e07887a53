// The laws of the watchdog once more, over twenty times as many storms: what takes minutes and finds what is rare.
#define PETREL_LAW_CASES 30000
#include "watchdog/law_test.cpp"
