// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests queues of completions: order, the descriptor, closing, threads, fork.

#include "iree_cy/native/base/completion_queue.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iree_cy/native/base/fork.h"
#include "tests/support/ctest.h"

static bool is_readable(const iree_cy_completion_queue_t* queue) {
  struct pollfd entry = {iree_cy_completion_queue_descriptor(queue), POLLIN, 0};
  return poll(&entry, 1, 0) == 1 && (entry.revents & POLLIN);
}

static void drop(iree_cy_completion_queue_t* queue) {
  iree_cy_completion_queue_close(queue);
  iree_cy_completion_queue_release(queue);
}

static iree_cy_completion_t* make(iree_cy_completion_queue_t* queue,
                                  uint64_t key) {
  iree_cy_completion_t* completion = NULL;
  EXPECT_OK(iree_cy_completion_create(queue, key, &completion));
  return completion;
}

CTEST(gives_what_completed_in_order) {
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  EXPECT(!is_readable(queue));
  EXPECT(!iree_cy_completion_queue_take(queue));
  iree_cy_completion_t* first = make(queue, 7);
  iree_cy_completion_t* second = make(queue, UINT64_MAX);
  EXPECT(!is_readable(queue));
  iree_cy_completion_complete(
      second, iree_make_status(IREE_STATUS_DATA_LOSS, "it broke"));
  iree_cy_completion_succeed(first);
  EXPECT(is_readable(queue));

  iree_cy_completion_t* taken = iree_cy_completion_queue_take(queue);
  EXPECT(!is_readable(queue));
  EXPECT(!iree_cy_completion_queue_take(queue));
  REQUIRE(taken == second && taken->next == first && !first->next);
  EXPECT(taken->key == UINT64_MAX);
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, taken->status);
  taken->status = iree_ok_status();
  EXPECT(first->key == 7);
  EXPECT_OK(first->status);
  iree_cy_completion_free(first);
  iree_cy_completion_free(second);
  drop(queue);
}

CTEST(is_readable_again_after_each_take) {
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  for (int i = 0; i < 3; ++i) {
    iree_cy_completion_succeed(make(queue, 0));
    EXPECT(is_readable(queue));
    iree_cy_completion_free(iree_cy_completion_queue_take(queue));
    EXPECT(!is_readable(queue));
  }
  drop(queue);
}

CTEST(closing_drops_what_is_there_and_what_comes_later) {
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  iree_cy_completion_t* late = make(queue, 1);
  iree_cy_completion_t* unused = make(queue, 2);
  iree_cy_completion_complete(
      make(queue, 3), iree_make_status(IREE_STATUS_ABORTED, "too early"));
  iree_cy_completion_queue_close(queue);
  iree_cy_completion_queue_close(queue);
  EXPECT_EQ_I64(iree_cy_completion_queue_descriptor(queue), -1);
  EXPECT(!iree_cy_completion_queue_take(queue));
  iree_cy_completion_queue_release(queue);
  iree_cy_completion_free(NULL);
  iree_cy_completion_free(unused);
  // Frees the queue, too.
  iree_cy_completion_complete(
      late, iree_make_status(IREE_STATUS_ABORTED, "too late"));
}

CTEST(does_not_write_to_a_number_that_is_reused) {
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  iree_cy_completion_t* late = make(queue, 1);
  const int number = iree_cy_completion_queue_descriptor(queue);
  iree_cy_completion_queue_close(queue);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  REQUIRE(dup2(ends[1], number) == number);
  iree_cy_completion_succeed(late);
  char byte = 0;
  EXPECT(read(ends[0], &byte, 1) < 0);
  close(number);
  if (ends[1] != number) close(ends[1]);
  close(ends[0]);
  iree_cy_completion_queue_release(queue);
}

enum { THREAD_COUNT = 4, PER_THREAD_COUNT = 2000 };

static void* complete_many(void* argument) {
  iree_cy_completion_t** completions = (iree_cy_completion_t**)argument;
  for (int i = 0; i < PER_THREAD_COUNT; ++i) {
    iree_cy_completion_succeed(completions[i]);
  }
  return NULL;
}

static iree_cy_completion_t* all[THREAD_COUNT][PER_THREAD_COUNT];

CTEST(loses_nothing_between_threads) {
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  pthread_t threads[THREAD_COUNT];
  for (uint64_t i = 0; i < THREAD_COUNT; ++i) {
    for (uint64_t j = 0; j < PER_THREAD_COUNT; ++j) {
      all[i][j] = make(queue, i << 32 | j);
    }
  }
  for (int i = 0; i < THREAD_COUNT; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, complete_many, all[i]) == 0);
  }
  uint64_t next[THREAD_COUNT] = {0};
  int count = 0;
  while (count < THREAD_COUNT * PER_THREAD_COUNT) {
    struct pollfd entry = {iree_cy_completion_queue_descriptor(queue), POLLIN,
                           0};
    REQUIRE(poll(&entry, 1, 60000) == 1);
    iree_cy_completion_t* completion = iree_cy_completion_queue_take(queue);
    while (completion) {
      iree_cy_completion_t* following = completion->next;
      // Each thread's own come in order.
      EXPECT((uint32_t)completion->key == next[completion->key >> 32]++);
      iree_cy_completion_free(completion);
      completion = following;
      ++count;
    }
  }
  for (int i = 0; i < THREAD_COUNT; ++i) pthread_join(threads[i], NULL);
  EXPECT(!is_readable(queue));
  drop(queue);
}

CTEST(closes_while_threads_complete) {
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  pthread_t threads[THREAD_COUNT];
  for (int i = 0; i < THREAD_COUNT; ++i) {
    for (int j = 0; j < PER_THREAD_COUNT; ++j) all[i][j] = make(queue, 0);
    REQUIRE(pthread_create(&threads[i], NULL, complete_many, all[i]) == 0);
  }
  iree_cy_completion_t* completion = iree_cy_completion_queue_take(queue);
  while (completion) {
    iree_cy_completion_t* following = completion->next;
    iree_cy_completion_free(completion);
    completion = following;
  }
  drop(queue);
  for (int i = 0; i < THREAD_COUNT; ++i) pthread_join(threads[i], NULL);
}

CTEST(a_forked_child_leaves_its_parents_descriptor_alone) {
  REQUIRE(iree_cy_fork_initialize());
  iree_cy_completion_queue_t* queue = NULL;
  REQUIRE_OK(iree_cy_completion_queue_create(&queue));
  iree_cy_completion_t* completion = make(queue, 5);
  iree_cy_completion_succeed(make(queue, 6));
  EXPECT(!iree_cy_completion_queue_is_inherited(queue));
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    bool is_good = iree_cy_completion_queue_is_inherited(queue) &&
                   !iree_cy_completion_queue_take(queue);
    iree_cy_completion_succeed(completion);
    iree_cy_completion_free(NULL);
    drop(queue);
    _exit(is_good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  // Neither reset nor written by the child.
  EXPECT(is_readable(queue));
  iree_cy_completion_t* taken = iree_cy_completion_queue_take(queue);
  REQUIRE(taken);
  EXPECT(taken->key == 6);
  EXPECT(!taken->next);
  iree_cy_completion_free(taken);
  EXPECT(!is_readable(queue));
  iree_cy_completion_succeed(completion);
  EXPECT(is_readable(queue));
  drop(queue);
}

CTEST_MAIN()
