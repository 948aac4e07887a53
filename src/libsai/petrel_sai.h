/* What libsai-petrel.so exports beyond SAI, for tests in C and C++: time that the caller moves, what arrived at a
 * neighbour, what is wrong with a profile. Where a SAI status is returned, it is UNINITIALIZED before a switch was
 * created. */
#ifndef PETREL_SAI_H
#define PETREL_SAI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lets the twin run for so long and delivers the notifications of that time, in the caller's thread, at the end.
 * NOT_SUPPORTED where the twin runs by the wall clock. */
int32_t petrel_sai_step(uint64_t ns);

/* Simulated time since the start. */
int32_t petrel_sai_now(uint64_t* ns);

/* Frames of a priority that the host has taken off the wire. ITEM_NOT_FOUND if the scenario has no such host. */
int32_t petrel_sai_host_received(const char* host, uint8_t priority, uint64_t* frames);

/* What was last said to be wrong since sai_api_initialize; empty: nothing. Valid until the same thread asks again. */
const char* petrel_sai_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
