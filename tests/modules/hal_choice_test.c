// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of which format of several that a program carries is loaded.

#include "iree_cy/native/modules/hal/choice.h"
#include "tests/support/ctest.h"

static iree_hal_module_choice_t choice;
// Never looked into.
static const iree_hal_device_t devices[2] = {0};

static int64_t ask(int device, const char* key, int64_t value) {
  return iree_hal_module_choice_answer(&choice, &devices[device],
                                       IREE_SV("hal.executable.format"),
                                       iree_make_cstring_view(key), value);
}

static void search(int device) {
  EXPECT_EQ_I64(iree_hal_module_choice_answer(&choice, &devices[device],
                                              IREE_SV("hal.device.id"),
                                              IREE_SV("local*"), 1),
                1);
}

CTEST(what_a_device_likes_best_is_left_when_it_is_asked_again) {
  memset(&choice, 0, sizeof(choice));
  search(0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ_I64(ask(0, "elf", 1), i == 0);
    EXPECT_EQ_I64(ask(0, "vmvx", 2), 1);
    EXPECT_EQ_I64(ask(0, "spirv", 0), 0);
  }
}

CTEST(equal_answers_leave_the_choice_to_the_program) {
  memset(&choice, 0, sizeof(choice));
  search(0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ_I64(ask(0, "elf", 1), 1);
    EXPECT_EQ_I64(ask(0, "vmvx", 1), 1);
  }
}

CTEST(each_search_and_each_device_has_a_choice_of_its_own) {
  memset(&choice, 0, sizeof(choice));
  search(0);
  EXPECT_EQ_I64(ask(0, "vmvx", 2), 1);
  EXPECT_EQ_I64(ask(0, "vmvx", 2), 1);
  // Another device, and then another program, which has only the other format.
  search(1);
  EXPECT_EQ_I64(ask(1, "elf", 1), 1);
  EXPECT_EQ_I64(ask(1, "elf", 1), 1);
  search(0);
  EXPECT_EQ_I64(ask(0, "elf", 1), 1);
  EXPECT_EQ_I64(ask(0, "elf", 1), 1);
}

CTEST(other_questions_are_answered_as_the_device_does) {
  memset(&choice, 0, sizeof(choice));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ_I64(iree_hal_module_choice_answer(&choice, &devices[0],
                                                IREE_SV("hal.dispatch"),
                                                IREE_SV("concurrency"), 7 - i),
                  7 - i);
  }
}

CTEST(what_does_not_fit_is_the_programs_choice) {
  memset(&choice, 0, sizeof(choice));
  search(0);
  for (int i = 0; i < 100; ++i) {
    char key[16];
    snprintf(key, sizeof(key), "format-%d", i);
    EXPECT_EQ_I64(ask(0, key, i + 1), 1);
  }
  EXPECT_EQ_I64(ask(0, "format-0", 1), 0);
  EXPECT_EQ_I64(ask(0, "format-99", 100), 1);
}

CTEST_MAIN()
