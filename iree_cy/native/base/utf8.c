// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the question whether bytes are UTF-8.

#include "iree_cy/native/base/utf8.h"

// How many bytes follow |lead|, and the range of the first of them; the others
// are from 0x80 to 0xBF. False when no sequence begins with |lead|.
static bool iree_cy_utf8_lead(uint8_t lead, iree_host_size_t* out_count,
                              uint8_t* out_low, uint8_t* out_high) {
  *out_low = 0x80;
  *out_high = 0xBF;
  *out_count = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  if (lead < 0x80) return true;
  if (lead < 0xC2 || lead > 0xF4) return false;
  if (lead == 0xE0) *out_low = 0xA0;
  if (lead == 0xED) *out_high = 0x9F;
  if (lead == 0xF0) *out_low = 0x90;
  if (lead == 0xF4) *out_high = 0x8F;
  return true;
}

bool iree_cy_utf8_is_valid(iree_string_view_t text) {
  const uint8_t* data = (const uint8_t*)text.data;
  iree_host_size_t i = 0;
  while (i < text.size) {
    iree_host_size_t count = 0;
    uint8_t low = 0;
    uint8_t high = 0;
    if (!iree_cy_utf8_lead(data[i], &count, &low, &high)) return false;
    if (count > text.size - i - 1) return false;
    for (iree_host_size_t j = 1; j <= count; ++j) {
      if (data[i + j] < low || data[i + j] > high) return false;
      low = 0x80;
      high = 0xBF;
    }
    i += count + 1;
  }
  return true;
}
