/* The functions that libsai-petrel.so exports beyond SAI, for tests in C and C++: stepped time, the frames that arrived
 * at a host, and the last error. Functions that return a SAI status return UNINITIALIZED before a switch is created. */
#ifndef PETREL_SAI_H
#define PETREL_SAI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Advances the twin by `ns`, then delivers the notifications of that time in the caller's thread. Returns NOT_SUPPORTED
 * if the twin runs by the wall clock. */
int32_t petrel_sai_step(uint64_t ns);

/* Simulated time since the start. */
int32_t petrel_sai_now(uint64_t* ns);

/* Frames of a priority that the host has received. Returns ITEM_NOT_FOUND if the scenario has no such host. */
int32_t petrel_sai_host_received(const char* host, uint8_t priority, uint64_t* frames);

/* The last error message since sai_api_initialize; empty: none. Valid until the next call from the same thread. */
const char* petrel_sai_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
