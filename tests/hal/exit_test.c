// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what submitting, waiting, creating and releasing come to when the
// process exits. The exit gate closes once, so it does in a child.

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iree_cy/native/base/futex.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"

typedef struct objects_t {
  iree_hal_driver_t* driver;
  iree_hal_device_t* device;
  iree_hal_semaphore_t* semaphore;
  iree_hal_buffer_t* buffer;
  iree_vm_instance_t* instance;
  iree_vm_context_t* context;
} objects_t;

static objects_t objects;

static void objects_create(void) {
  const iree_allocator_t allocator = iree_allocator_system();
  const iree_hal_buffer_params_t params = {0};
  EXPECT_OK(default_driver_create(allocator, &objects.driver));
  EXPECT_OK(default_device_create(allocator, &objects.device));
  EXPECT_OK(
      iree_hal_semaphore_create(objects.device, 0, 0, 0, &objects.semaphore));
  EXPECT_OK(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(objects.device), params, 16, &objects.buffer));
  EXPECT_OK(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, allocator,
                                    &objects.instance));
  EXPECT_OK(iree_vm_context_create(objects.instance, IREE_VM_CONTEXT_FLAG_NONE,
                                   allocator, &objects.context));
}

static void objects_release(void) {
  iree_vm_context_release(objects.context);
  iree_vm_instance_release(objects.instance);
  iree_hal_buffer_release(objects.buffer);
  iree_hal_semaphore_release(objects.semaphore);
  iree_hal_device_release(objects.device);
  iree_hal_driver_release(objects.driver);
}

static iree_hal_semaphore_list_t nothing(void) {
  return iree_hal_semaphore_list_empty();
}

static iree_status_t submit_fill(void) {
  return iree_hal_device_queue_fill(objects.device, 0, nothing(), nothing(),
                                    objects.buffer, 0, 16, "x", 1, 0);
}
static iree_status_t submit_barrier(void) {
  return iree_hal_device_queue_barrier(objects.device, 0, nothing(), nothing(),
                                       0);
}
static iree_status_t flush(void) {
  return iree_hal_device_queue_flush(objects.device, 0);
}
static iree_status_t wait_for_one(void) {
  return iree_hal_semaphore_wait(objects.semaphore, 1, iree_infinite_timeout(),
                                 0);
}
static iree_status_t wait_for_several(void) {
  iree_hal_semaphore_t* semaphores[] = {objects.semaphore, objects.semaphore};
  uint64_t payloads[] = {1, 2};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  return iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL,
                                      iree_infinite_timeout(), 0);
}
static iree_status_t wait_by_device(void) {
  uint64_t payload = 1;
  const iree_hal_semaphore_list_t list = {1, &objects.semaphore, &payload};
  return iree_hal_device_wait_semaphores(objects.device, IREE_HAL_WAIT_MODE_ANY,
                                         list, iree_infinite_timeout(), 0);
}
static iree_status_t create_semaphore(void) {
  iree_hal_semaphore_t* semaphore = NULL;
  return iree_hal_semaphore_create(objects.device, 0, 0, 0, &semaphore);
}
static iree_status_t create_device(void) {
  iree_hal_device_t* device = NULL;
  return iree_hal_driver_create_device_by_id(
      objects.driver, IREE_HAL_DEVICE_ID_DEFAULT, 0, NULL,
      iree_allocator_system(), &device);
}
static iree_status_t create_context(void) {
  iree_vm_context_t* context = NULL;
  return iree_vm_context_create(objects.instance, IREE_VM_CONTEXT_FLAG_NONE,
                                iree_allocator_system(), &context);
}

typedef iree_status_t (*operation_fn_t)(void);
static const operation_fn_t operations[] = {
    submit_fill,   submit_barrier,   flush,
    wait_for_one,  wait_for_several, wait_by_device,
    create_device, create_semaphore, create_context,
};

static uint32_t begun_count = 0;
static uint32_t returned_count = 0;

static void* operate(void* user_data) {
  __atomic_fetch_add(&begun_count, 1, __ATOMIC_SEQ_CST);
  iree_cy_futex_wake(&begun_count, 1);
  iree_status_ignore(operations[*(const size_t*)user_data]());
  __atomic_fetch_add(&returned_count, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static int64_t live_count(void) {
  int64_t count = 0;
  for (uint32_t kind = 0; kind < IREE_CY_OBJECT_KIND_COUNT; ++kind) {
    // Instances have nothing to harm when they go.
    if (kind == IREE_CY_OBJECT_KIND_VM_INSTANCE) continue;
    count += iree_cy_live_object_count(kind);
  }
  return count;
}

static int operate_behind_the_gate(void) {
  static size_t indices[IREE_ARRAYSIZE(operations)];
  objects_create();
  if (ctest_failure_count) return 1;
  iree_cy_gate_close(0);
  for (size_t i = 0; i < IREE_ARRAYSIZE(operations); ++i) {
    iree_status_t status = operations[i]();
    if (iree_status_code(status) != IREE_STATUS_ABORTED) return 2;
    iree_status_ignore(status);
    pthread_t thread;
    indices[i] = i;
    if (pthread_create(&thread, NULL, operate, &indices[i]) != 0) return 3;
  }
  uint32_t count = 0;
  while ((count = __atomic_load_n(&begun_count, __ATOMIC_SEQ_CST)) <
         IREE_ARRAYSIZE(operations)) {
    iree_cy_futex_wait(&begun_count, count, IREE_TIME_INFINITE_FUTURE);
  }
  // Payloads that are reached let nobody go on either.
  if (!iree_status_is_ok(iree_hal_semaphore_signal(objects.semaphore, 2))) {
    return 4;
  }
  iree_cy_futex_wait(&returned_count, 0, iree_time_now() + 100000000);
  if (__atomic_load_n(&returned_count, __ATOMIC_SEQ_CST) != 0) return 5;

  const int64_t before = live_count();
  objects_release();
  return live_count() == before ? 0 : 6;
}

CTEST(behind_the_gate_others_park_and_nothing_is_destroyed) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(operate_behind_the_gate());
  }
  int status = 0;
  REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  EXPECT_EQ_I64(WEXITSTATUS(status), 0);
}

CTEST_MAIN()
