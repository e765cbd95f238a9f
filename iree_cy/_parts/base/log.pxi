# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the emptying of the log ring and what else the process tells about itself.

def drain_log():
    """Return what C code has logged since the last call.

    Returns
    -------
    list of (int, str, str)
        Level (as in `logging`), domain and text, oldest first.
    """
    cdef iree_cy_log_record_t record
    if iree_cy_log_ring_is_empty():
        return []
    records = []
    while iree_cy_log_ring_pop(&record):
        records.append((
            int(record.level),
            PyUnicode_DecodeUTF8(record.domain, record.domain_length, "replace"),
            PyUnicode_DecodeUTF8(record.text, record.text_length, "replace"),
        ))
    dropped = iree_cy_log_ring_take_dropped()
    if dropped:
        records.append((30, "log", f"{dropped} records were dropped because nobody read the log"))
    return records


_KINDS = {
    "driver": 1,
    "device": 2,
    "allocator": 3,
    "buffer": 4,
    "semaphore": 5,
    "command_buffer": 6,
    "executable": 7,
    "executable_cache": 8,
    "executable_loader": 9,
    "event": 10,
    "channel": 11,
    "file": 12,
    "fence": 13,
    "buffer_view": 14,
    "vm_instance": 16,
    "vm_module": 17,
    "vm_context": 18,
    "vm_list": 19,
    "vm_buffer": 20,
}


def live_object_counts():
    """Return how many objects of each kind are alive in this process.

    Returns
    -------
    dict of str to int
        By kind: ``"driver"``, ``"buffer"``, ``"vm_context"`` ...
    """
    return {name: iree_cy_live_object_count(<iree_cy_object_kind_t><int>kind) for name, kind in _KINDS.items()}


def build_info():
    """Return how the core was built.

    Returns
    -------
    dict
        ``abi_version``, the plugin ABI's major version; ``sanitizers``, names joined by commas;
        ``compiler``, and ``cython``.
    """
    sanitizers = []
    if _built_with_asan:
        sanitizers.append("address")
    if _built_with_tsan:
        sanitizers.append("thread")
    return {
        "abi_version": int(IREE_CY_ABI_VERSION),
        "compiler": _compiler_version.decode("utf-8", "replace"),
        "cython": _cython_version.decode("utf-8", "replace"),
        "sanitizers": ",".join(sanitizers),
    }


cdef extern from *:
    """
    #if defined(__SANITIZE_ADDRESS__)
    #define IREE_CY_BUILT_WITH_ASAN 1
    #else
    #define IREE_CY_BUILT_WITH_ASAN 0
    #endif
    #if defined(__SANITIZE_THREAD__)
    #define IREE_CY_BUILT_WITH_TSAN 1
    #else
    #define IREE_CY_BUILT_WITH_TSAN 0
    #endif
    """
    const bint _built_with_asan "IREE_CY_BUILT_WITH_ASAN"
    const bint _built_with_tsan "IREE_CY_BUILT_WITH_TSAN"
    const char* _compiler_version "__VERSION__"
    const char* _cython_version "CYTHON_ABI"
