// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the answer to why the Vulkan loader found no driver: the manifests that
// it reads, and what is wrong with them.

#include "manifest.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MANIFEST_MAX_SIZE (1u << 20)
#define MANIFEST_MAX_DEPTH 32

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

typedef struct json_t {
  const char* next;
  const char* end;
  // Where the value that is looked for is: 0 outside, 1 in "ICD".
  bool in_icd;
  iree_string_view_t library_path;
} json_t;

static void json_skip_space(json_t* json) {
  while (json->next < json->end && memchr(" \t\r\n", *json->next, 4)) {
    ++json->next;
  }
}

static bool json_take(json_t* json, char wanted) {
  json_skip_space(json);
  if (json->next == json->end || *json->next != wanted) return false;
  ++json->next;
  return true;
}

static bool json_string(json_t* json, iree_string_view_t* out_text) {
  if (!json_take(json, '"')) return false;
  const char* start = json->next;
  for (; json->next < json->end; ++json->next) {
    if (*json->next == '"') {
      *out_text =
          iree_make_string_view(start, (iree_host_size_t)(json->next - start));
      ++json->next;
      return true;
    }
    if ((unsigned char)*json->next < 0x20) return false;
    if (*json->next == '\\' && ++json->next == json->end) return false;
  }
  return false;
}

// A number or a word: any run of what they are made of.
static bool json_scalar(json_t* json) {
  json_skip_space(json);
  const char* start = json->next;
  while (json->next < json->end &&
         ((*json->next >= '0' && *json->next <= '9') ||
          (*json->next >= 'a' && *json->next <= 'z') ||
          (*json->next && memchr("+-.E", *json->next, 4)))) {
    ++json->next;
  }
  return json->next > start;
}

static bool json_value(json_t* json, int depth);

static bool json_member(json_t* json, int depth) {
  iree_string_view_t key;
  if (!json_string(json, &key) || !json_take(json, ':')) return false;
  if (depth == 1 && iree_string_view_equal(key, IREE_SV("ICD"))) {
    json->in_icd = true;
    const bool good = json_value(json, depth);
    json->in_icd = false;
    return good;
  }
  json_skip_space(json);
  if (depth == 2 && json->in_icd && json->next < json->end &&
      *json->next == '"' &&
      iree_string_view_equal(key, IREE_SV("library_path"))) {
    return json_string(json, &json->library_path);
  }
  return json_value(json, depth);
}

static bool json_value(json_t* json, int depth) {
  if (depth == MANIFEST_MAX_DEPTH) return false;
  iree_string_view_t text;
  json_skip_space(json);
  if (json->next == json->end) return false;
  if (*json->next == '"') return json_string(json, &text);
  const bool is_object = json_take(json, '{');
  if (!is_object && !json_take(json, '[')) return json_scalar(json);
  const char close = is_object ? '}' : ']';
  if (json_take(json, close)) return true;
  do {
    if (!(is_object ? json_member(json, depth + 1)
                    : json_value(json, depth + 1))) {
      return false;
    }
  } while (json_take(json, ','));
  return json_take(json, close);
}

const char* vulkan_manifest_check(iree_string_view_t text,
                                  iree_string_view_t* out_library_path) {
  json_t json = {text.data, text.data + text.size, false, {NULL, 0}};
  *out_library_path = iree_string_view_empty();
  if (!json_value(&json, 0)) return "it is not JSON";
  json_skip_space(&json);
  if (json.next != json.end) return "it is not JSON";
  if (iree_string_view_is_empty(json.library_path)) {
    return "it has no ICD.library_path";
  }
  *out_library_path = json.library_path;
  return NULL;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

// What was seen so far.
typedef struct manifests_t {
  iree_allocator_t allocator;
  // Names the place: the variable's name, or NULL for the standard folders.
  const char* variable;
  uint32_t count;
  iree_string_builder_t folders;
  // The first that is broken: a status that says so.
  iree_status_t broken;
} manifests_t;

static iree_status_t manifest_broken(const manifests_t* manifests,
                                     const char* path, const char* reason) {
  return vulkan_annotate_path(
      iree_make_status(IREE_STATUS_UNAVAILABLE,
                       "the Vulkan manifest '%s%s'%s%s%s is broken: %s",
                       VULKAN_PATH_ARG(path), manifests->variable ? " (" : "",
                       manifests->variable ? manifests->variable : "",
                       manifests->variable ? ")" : "", reason),
      path);
}

// A library with a slash is relative to its manifest's folder, any other is
// found by the system.
static iree_status_t manifest_check_library(const manifests_t* manifests,
                                            const char* path,
                                            iree_string_view_t library) {
  char name[4096];
  const char* slash = strrchr(path, '/');
  const bool is_relative = library.data[0] != '/' && slash &&
                           memchr(library.data, '/', library.size);
  const int length = snprintf(name, sizeof(name), "%.*s%.*s",
                              is_relative ? (int)(slash - path + 1) : 0, path,
                              IREE_SV_ARG(library));
  if (length < 0 || (size_t)length >= sizeof(name)) {
    return manifest_broken(manifests, path, "its library_path is too long");
  }
  // The loader has tried it already. What can be opened stays mapped.
  if (dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)) {
    return iree_ok_status();
  }
  const char* reason = dlerror();
  return iree_status_annotate_f(
      manifest_broken(manifests, path, "its library cannot be opened"), "%s",
      reason ? reason : name);
}

static iree_status_t manifest_check_file(manifests_t* manifests,
                                         const char* path) {
  FILE* file = fopen(path, "rbe");
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return iree_ok_status();
    ++manifests->count;
    return manifest_broken(manifests, path, "it cannot be opened");
  }
  ++manifests->count;
  char* text = NULL;
  iree_status_t status = iree_allocator_malloc_uninitialized(
      manifests->allocator, MANIFEST_MAX_SIZE, (void**)&text);
  if (iree_status_is_ok(status)) {
    const size_t size = fread(text, 1, MANIFEST_MAX_SIZE, file);
    iree_string_view_t library;
    const char* wrong = ferror(file) ? "it cannot be read"
                        : size == MANIFEST_MAX_SIZE
                            ? "it is longer than 1 MiB"
                            : vulkan_manifest_check(
                                  iree_make_string_view(text, size), &library);
    status = wrong ? manifest_broken(manifests, path, wrong)
                   : manifest_check_library(manifests, path, library);
  }
  iree_allocator_free(manifests->allocator, text);
  (void)fclose(file);
  return status;
}

static void manifest_add_file(manifests_t* manifests, const char* path) {
  iree_status_t status = manifest_check_file(manifests, path);
  if (iree_status_is_ok(manifests->broken)) {
    manifests->broken = status;
  } else {
    iree_status_ignore(status);
  }
}

static void manifest_add_folder(manifests_t* manifests, const char* path) {
  DIR* folder = opendir(path);
  if (!folder) return;
  char name[4096];
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    const size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) {
      continue;
    }
    const int whole =
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
    if (whole > 0 && (size_t)whole < sizeof(name)) {
      manifest_add_file(manifests, name);
    }
  }
  (void)closedir(folder);
}

// Calls |fn| for each path in |list|, between colons, with |suffix|.
static void manifest_split(manifests_t* manifests, const char* list,
                           const char* suffix,
                           void (*fn)(manifests_t* manifests,
                                      const char* path)) {
  char path[4096];
  while (list && *list) {
    const char* colon = strchr(list, ':');
    const size_t length = colon ? (size_t)(colon - list) : strlen(list);
    const int whole =
        snprintf(path, sizeof(path), "%.*s%s", (int)length, list, suffix);
    if (length > 0 && whole > 0 && (size_t)whole < sizeof(path)) {
      fn(manifests, path);
    }
    list = colon ? colon + 1 : NULL;
  }
}

static void manifest_add_named(manifests_t* manifests, const char* path) {
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
    manifest_add_folder(manifests, path);
  } else {
    manifest_add_file(manifests, path);
  }
}

static void manifest_add_standard(manifests_t* manifests, const char* path) {
  const bool is_first = manifests->folders.size == 0;
  // Only a message is poorer without.
  iree_status_ignore(iree_string_builder_append_format(
      &manifests->folders, "%s%s", is_first ? "" : ", ", path));
  manifest_add_folder(manifests, path);
}

// The loader's order: XDG_CONFIG_HOME, XDG_CONFIG_DIRS, /etc, XDG_DATA_HOME,
// XDG_DATA_DIRS.
static void manifest_add_standard_folders(manifests_t* manifests) {
  static const struct {
    const char* variable;
    // When that is not set: below the home folder, or as it is.
    const char* in_home;
    const char* fallback;
  } places[] = {
      {"XDG_CONFIG_HOME", "/.config", NULL},
      {"XDG_CONFIG_DIRS", NULL, "/etc/xdg"},
      {NULL, NULL, "/etc"},
      {"XDG_DATA_HOME", "/.local/share", NULL},
      {"XDG_DATA_DIRS", NULL, "/usr/local/share:/usr/share"},
  };
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(places); ++i) {
    const char* set = places[i].variable ? getenv(places[i].variable) : NULL;
    char below_home[2048];
    if ((!set || !*set) && places[i].in_home) {
      const char* home = getenv("HOME");
      const int length = snprintf(below_home, sizeof(below_home), "%s%s",
                                  home ? home : "", places[i].in_home);
      if (!home || length < 0 || (size_t)length >= sizeof(below_home)) continue;
      set = below_home;
    }
    manifest_split(manifests, set && *set ? set : places[i].fallback,
                   "/vulkan/icd.d", manifest_add_standard);
  }
}

static iree_status_t manifests_make_status(manifests_t* manifests,
                                           const char* named) {
  if (!iree_status_is_ok(manifests->broken)) return manifests->broken;
  if (manifests->count > 0) return iree_ok_status();
  if (manifests->variable) {
    return vulkan_annotate_path(
        iree_make_status(
            IREE_STATUS_UNAVAILABLE,
            "there is no Vulkan manifest: %s is '%s%s', where none is",
            manifests->variable, VULKAN_PATH_ARG(named)),
        named);
  }
  iree_status_t status = iree_make_status(
      IREE_STATUS_UNAVAILABLE,
      "there is no Vulkan manifest (*.json) in /etc/vulkan/icd.d, "
      "/usr/share/vulkan/icd.d or the like; install your device's driver");
  return iree_status_annotate_f(
      status, "looked in: %.*s",
      IREE_SV_ARG(iree_string_builder_view(&manifests->folders)));
}

const char* vulkan_manifests_variable(const char** out_value) {
  static const char* const variables[] = {"VK_DRIVER_FILES",
                                          "VK_ICD_FILENAMES"};
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(variables); ++i) {
    *out_value = getenv(variables[i]);
    if (*out_value && **out_value) return variables[i];
  }
  *out_value = NULL;
  return NULL;
}

iree_status_t vulkan_manifests_explain(iree_allocator_t host_allocator) {
  manifests_t manifests = {.allocator = host_allocator};
  iree_string_builder_initialize(host_allocator, &manifests.folders);
  const char* named = NULL;
  manifests.variable = vulkan_manifests_variable(&named);
  if (manifests.variable) {
    manifest_split(&manifests, named, "", manifest_add_named);
  } else {
    manifest_add_standard_folders(&manifests);
  }
  iree_status_t status = manifests_make_status(&manifests, named);
  iree_string_builder_deinitialize(&manifests.folders);
  return status;
}
