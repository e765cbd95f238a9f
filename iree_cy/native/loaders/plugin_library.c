// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the opening of a plugin's shared library.

#include "iree_cy/native/loaders/plugin_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_FORMAT "%.48s"

// The linker defines it: the head of the library or program that this is in,
// and so what a library for this machine looks like.
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

const char* iree_cy_library_file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static iree_status_t check_head(const char* name, const uint8_t* head,
                                iree_host_size_t size) {
  const ElfW(Ehdr)* ours = &__ehdr_start;
  if (size < EI_NIDENT || memcmp(head, ours->e_ident, SELFMAG) != 0) {
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            NAME_FORMAT
                            " is no shared library: it does not begin as ELF "
                            "files do; reinstall it",
                            name);
  }
  // Class and byte order come first: of others the fields lie elsewhere.
  ElfW(Ehdr) theirs;
  const bool is_whole = size >= sizeof(theirs);
  if (is_whole) memcpy(&theirs, head, sizeof(theirs));
  if (head[EI_CLASS] != ours->e_ident[EI_CLASS] ||
      head[EI_DATA] != ours->e_ident[EI_DATA] ||
      (is_whole && theirs.e_machine != ours->e_machine)) {
    // Where the machine is told is the same for both classes.
    const bool has_machine = size >= offsetof(ElfW(Ehdr), e_machine) + 2;
    const uint8_t* machine = head + offsetof(ElfW(Ehdr), e_machine);
    const bool is_little = head[EI_DATA] == ELFDATA2LSB;
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        NAME_FORMAT
        " is for another machine (ELF class %u, machine %u; here %u, %u); "
        "install this platform's build",
        name, (unsigned)head[EI_CLASS],
        has_machine ? machine[is_little ? 0 : 1] |
                          (unsigned)machine[is_little ? 1 : 0] << 8
                    : 0u,
        (unsigned)ours->e_ident[EI_CLASS], (unsigned)ours->e_machine);
  }
  if (!is_whole || theirs.e_type != ET_DYN) {
    return iree_make_status(
        IREE_STATUS_UNAVAILABLE,
        NAME_FORMAT " is no shared library: %s; reinstall it", name,
        is_whole ? "it is an ELF file of another type" : "it is cut short");
  }
  return iree_ok_status();
}

static iree_status_t refuse_cut(const char* name) {
  return iree_make_status(IREE_STATUS_UNAVAILABLE,
                          NAME_FORMAT
                          " is no whole library: its file is cut short; "
                          "reinstall it",
                          name);
}

// What the file's segments need of it must be there: the system maps what is
// missing all the same, and the process dies of it.
static iree_status_t check_segments(const char* name, int fd,
                                    const ElfW(Ehdr) * head,
                                    uint64_t file_size) {
  for (uint32_t i = 0; i < head->e_phnum; ++i) {
    ElfW(Phdr) segment;
    const uint64_t offset =
        head->e_phoff + (uint64_t)i * (uint64_t)sizeof(segment);
    if (offset < head->e_phoff || offset > file_size) return refuse_cut(name);
    const ssize_t size = pread(fd, &segment, sizeof(segment), (off_t)offset);
    if (size != (ssize_t)sizeof(segment)) return refuse_cut(name);
    if (segment.p_type == PT_LOAD &&
        (segment.p_offset > file_size ||
         segment.p_filesz > file_size - segment.p_offset)) {
      return refuse_cut(name);
    }
  }
  return iree_ok_status();
}

static iree_status_t check_contents(const char* name, int fd,
                                    uint64_t file_size) {
  uint8_t bytes[sizeof(ElfW(Ehdr))];
  const ssize_t size = pread(fd, bytes, sizeof(bytes), 0);
  if (size < 0) {
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            NAME_FORMAT " cannot be read: %s; reinstall it",
                            name, strerror(errno));
  }
  IREE_RETURN_IF_ERROR(check_head(name, bytes, (iree_host_size_t)size));
  ElfW(Ehdr) head;
  memcpy(&head, bytes, sizeof(head));
  // The system refuses headers of another size by itself.
  if (head.e_phentsize != sizeof(ElfW(Phdr))) return iree_ok_status();
  return check_segments(name, fd, &head, file_size);
}

static iree_status_t check_file(const char* path) {
  const char* name = iree_cy_library_file_name(path);
  // What is no regular file may hang when it is read, or act when it is opened.
  struct stat info;
  int fd = -1;
  if (stat(path, &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      return iree_make_status(IREE_STATUS_UNAVAILABLE,
                              NAME_FORMAT
                              " is no file, and so no shared library; "
                              "reinstall it",
                              name);
    }
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  }
  if (fd < 0) {
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            NAME_FORMAT " cannot be read: %s; reinstall it",
                            name, strerror(errno));
  }
  iree_status_t status = check_contents(name, fd, (uint64_t)info.st_size);
  close(fd);
  return status;
}

iree_status_t iree_cy_library_open(const char* path, void** out_handle) {
  *out_handle = NULL;
  IREE_RETURN_IF_ERROR(check_file(path));
  // NODELETE and no dlclose: objects of the driver hold no reference to it.
  *out_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (*out_handle) return iree_ok_status();
  const char* reason = dlerror();
  if (!reason) reason = "unknown reason";
  // The reason mostly begins with the path, which leaves no room for the rest.
  const iree_host_size_t path_length = strlen(path);
  if (strncmp(reason, path, path_length) == 0 &&
      strncmp(reason + path_length, ": ", 2) == 0) {
    reason += path_length + 2;
  }
  return iree_make_status(IREE_STATUS_UNAVAILABLE,
                          NAME_FORMAT
                          " does not load: %s; install what it needs, or "
                          "reinstall it",
                          iree_cy_library_file_name(path), reason);
}
