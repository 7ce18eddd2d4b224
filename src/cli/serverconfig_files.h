// serverconfig_files.h: what a configuration names outside itself: its own file, libraries of worlds, logs, directories to record into.
#pragma once

#include "keyfile.h"
#include "secretkey.h"
#include "serverconfig.h"

/// Reads a file into a zeroed config; "-" is standard input. False: said so. Finish the config in any case.
bool serverconfig_load(ServerConfig *config, const char *path);
/// Loads the libraries of "worlds". False: said so.
bool serverconfig_load_worlds(const ServerConfig *config, WorldSet *worlds);
/// Puts the logs of a directory in the place of each room that names one, and sees that all logs can be opened. False: said so.
bool serverconfig_expand(ServerConfig *config);
/// Reads the head of every log, and makes its world once. False: said so.
bool serverconfig_check_logs(const ServerConfig *config, WorldSet *worlds);
/// The key of administrators, empty without "admin_key_file". False: said so.
bool serverconfig_read_admin_key(const ServerConfig *config, char key[KEYFILE_KEY_SIZE]);
/// The key that signs the rooms' own logs; *has_key false without "sign_key". Wipe it after use. False: said so.
bool serverconfig_read_sign_key(const ServerConfig *config, uint8_t key[TP_SECRET_KEY_SIZE], bool *has_key);
/// The key of datagrams, and the issuer of join tokens, likewise.
bool serverconfig_read_udp_key(const ServerConfig *config, uint8_t key[TP_SECRET_KEY_SIZE], bool *has_key);
bool serverconfig_read_token_issuer(const ServerConfig *config, uint8_t key[TP_PUBLIC_KEY_SIZE], bool *has_key);
/// The directories that rooms record into, and those for what desyncs leave: made where they are missing, or with `is_check` only seen to be possible. False: said so.
bool serverconfig_record_dirs(const ServerConfig *config, bool is_check);
