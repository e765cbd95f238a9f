// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the log ring.

#include "iree_cy/base/log.h"

#include <pthread.h>

#include "iree_cy/native/base/log_ring.h"
#include "tests/support/ctest.h"

static void drain(void) {
  iree_cy_log_record_t record;
  while (iree_cy_log_ring_pop(&record)) continue;
  iree_cy_log_ring_take_dropped();
}

static iree_string_view_t text_of(const iree_cy_log_record_t* record) {
  return iree_make_string_view(record->text, record->text_length);
}

CTEST(records_come_out_in_order) {
  iree_cy_log_record_t record;
  drain();
  EXPECT(iree_cy_log_ring_is_empty());
  EXPECT(!iree_cy_log_ring_pop(&record));
  const iree_time_t before = iree_time_now();
  iree_cy_log(IREE_CY_LOG_LEVEL_WARNING, IREE_SV("hal"), IREE_SV("first"));
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("vm"), IREE_SV("second"));
  EXPECT(!iree_cy_log_ring_is_empty());
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_I64(record.level, 30);
  EXPECT_EQ_SV(iree_make_string_view(record.domain, record.domain_length),
               IREE_SV("hal"));
  EXPECT_EQ_SV(text_of(&record), IREE_SV("first"));
  EXPECT(record.time >= before && record.time <= iree_time_now());
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_I64(record.level, 40);
  EXPECT_EQ_SV(text_of(&record), IREE_SV("second"));
  EXPECT(!iree_cy_log_ring_pop(&record));
}

CTEST(the_oldest_are_dropped_and_counted) {
  drain();
  for (int i = 0; i < IREE_CY_LOG_RING_CAPACITY + 10; ++i) {
    char text[16];
    snprintf(text, sizeof(text), "%d", i);
    iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"),
                iree_make_cstring_view(text));
  }
  iree_cy_log_record_t record;
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_SV(text_of(&record), IREE_SV("10"));
  EXPECT_EQ_I64(iree_cy_log_ring_take_dropped(), 10);
  EXPECT_EQ_I64(iree_cy_log_ring_take_dropped(), 0);
  int count = 1;
  while (iree_cy_log_ring_pop(&record)) ++count;
  EXPECT_EQ_I64(count, IREE_CY_LOG_RING_CAPACITY);
}

CTEST(long_and_empty_texts) {
  drain();
  char text[3000];
  memset(text, 'x', sizeof(text));
  iree_cy_log(IREE_CY_LOG_LEVEL_INFO, iree_make_string_view(text, 3000),
              iree_make_string_view(text, 3000));
  iree_cy_log(IREE_CY_LOG_LEVEL_INFO, iree_string_view_empty(),
              iree_string_view_empty());
  iree_cy_log_record_t record;
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_I64(record.text_length, 1024);
  EXPECT_EQ_I64(record.domain_length, IREE_CY_LOG_MAX_DOMAIN_LENGTH);
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_I64(record.text_length, 0);
  EXPECT_EQ_I64(record.domain_length, 0);
}

CTEST(no_character_is_cut_in_two) {
  drain();
  // 1023 bytes, then the two of "e acute", of which one would fit; and one that
  // ends exactly at the limit.
  char text[1025];
  memset(text, 'x', sizeof(text));
  memcpy(text + 1023, "\xc3\xa9", 2);
  iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"),
              iree_make_string_view(text, 1025));
  memset(text, 'x', sizeof(text));
  memcpy(text + 1022, "\xc3\xa9", 2);
  iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"),
              iree_make_string_view(text, 1025));
  iree_cy_log_record_t record;
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_I64(record.text_length, 1023);
  REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_I64(record.text_length, 1024);
}

static void* log_many(void* argument) {
  (void)argument;
  for (int i = 0; i < 2000; ++i) {
    iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"), IREE_SV("text"));
  }
  return NULL;
}

CTEST(threads_lose_no_record_uncounted) {
  drain();
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, log_many, NULL) == 0);
  }
  int64_t count = 0;
  iree_cy_log_record_t record;
  for (int i = 0; i < 1000; ++i) count += iree_cy_log_ring_pop(&record);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  while (iree_cy_log_ring_pop(&record)) {
    EXPECT_EQ_SV(text_of(&record), IREE_SV("text"));
    ++count;
  }
  EXPECT_EQ_I64(count + (int64_t)iree_cy_log_ring_take_dropped(), 8000);
}

static void* log_an_error(void* argument) {
  (void)argument;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("t"), IREE_SV("elsewhere"));
  return NULL;
}

CTEST(the_last_error_of_a_thread_is_found_and_stays) {
  drain();
  iree_cy_log_record_t record;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("t"), IREE_SV("before"));
  const uint64_t position = iree_cy_log_ring_position();
  EXPECT(!iree_cy_log_ring_peek_error(position, &record));
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("t"), IREE_SV("one"));
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("t"), IREE_SV("two"));
  iree_cy_log(IREE_CY_LOG_LEVEL_WARNING, IREE_SV("t"), IREE_SV("three"));
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, log_an_error, NULL) == 0);
  pthread_join(thread, NULL);
  REQUIRE(iree_cy_log_ring_peek_error(position, &record));
  EXPECT_EQ_SV(text_of(&record), IREE_SV("two"));
  // Somebody else may have popped it meanwhile.
  for (int i = 0; i < 5; ++i) REQUIRE(iree_cy_log_ring_pop(&record));
  EXPECT_EQ_SV(text_of(&record), IREE_SV("elsewhere"));
  EXPECT(iree_cy_log_ring_is_empty());
  REQUIRE(iree_cy_log_ring_peek_error(position, &record));
  EXPECT_EQ_SV(text_of(&record), IREE_SV("two"));
  // Until it is overwritten.
  for (int i = 0; i < IREE_CY_LOG_RING_CAPACITY; ++i) {
    iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"), IREE_SV("more"));
  }
  EXPECT(!iree_cy_log_ring_peek_error(position, &record));
  drain();
}

CTEST_MAIN()
