// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.channel.*: the names are there, collectives are not.

#include "iree_cy/native/modules/hal/module_impl.h"

static iree_status_t iree_hal_module_channel_error(const char* function) {
  return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                          "hal.%s: channels and collectives are not "
                          "implemented",
                          function);
}

IREE_HAL_MODULE_EXPORT(channel_create) {
  IREE_HAL_MODULE_ARGUMENTS("channel.create");
  return iree_hal_module_channel_error(args.function);
}

IREE_HAL_MODULE_EXPORT(channel_rank_and_count) {
  IREE_HAL_MODULE_ARGUMENTS("channel.rank_and_count");
  return iree_hal_module_channel_error(args.function);
}

IREE_HAL_MODULE_EXPORT(channel_split) {
  IREE_HAL_MODULE_ARGUMENTS("channel.split");
  return iree_hal_module_channel_error(args.function);
}

IREE_HAL_MODULE_EXPORT(command_buffer_collective) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.collective");
  return iree_hal_module_channel_error(args.function);
}
