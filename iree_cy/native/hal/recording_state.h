// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what iree_hal_command_buffer_t.recording_state says.

#ifndef IREE_CY_NATIVE_HAL_RECORDING_STATE_H_
#define IREE_CY_NATIVE_HAL_RECORDING_STATE_H_

enum {
  RECORDING_STATE_INITIAL = 0,
  RECORDING_STATE_RECORDING = 1,
  RECORDING_STATE_ENDED = 2,
  // A one-shot command buffer was given to a queue.
  RECORDING_STATE_SUBMITTED = 3,
};

#endif  // IREE_CY_NATIVE_HAL_RECORDING_STATE_H_
