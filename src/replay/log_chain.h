// log_chain.h: the cryptographic side of a log: the BLAKE2b chain over records, the marker, Ed25519 signatures.
#pragma once

#include "log_format.h"

/// Once per process, thread-safe and cheap afterwards: picks the fast implementations. False when libsodium will not start.
bool log_chain_start_library(void);

/// c0 of the page.
void log_chain_init(uint8_t chain[TP_LOG_CHAIN_SIZE]);
/// c = BLAKE2b-256(c, type, tick, payload size, payload).
void log_chain_add(uint8_t chain[TP_LOG_CHAIN_SIZE], uint32_t type, uint64_t tick, const uint8_t *payload, uint32_t size);
void log_chain_marker(uint8_t marker[LOG_MARKER_SIZE], const uint8_t *ident, size_t size);

/// Both sign the leading bytes of the payload up to the public key; they fill the signed byte, key and signature.
/// `secret_key` NULL leaves all of it zero.
void log_chain_sign_seal(uint8_t payload[LOG_SEAL_SIZE], const uint8_t *secret_key);
void log_chain_sign_end(uint8_t payload[LOG_END_SIZE], const uint8_t *secret_key);
bool log_chain_verify_seal(const uint8_t payload[LOG_SEAL_SIZE]);
bool log_chain_verify_end(const uint8_t payload[LOG_END_SIZE]);
