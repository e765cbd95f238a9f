// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the embedded ELF loader with a file written here: what is mapped, and
// what becomes of each field that is wrong.

#include "iree_cy/native/loaders/elf_image.h"

#include <elf.h>

#include "iree_cy/hal/executable.h"
#include "iree_cy/native/loaders/executable_library.h"
#include "tests/support/ctest.h"

#if defined(__x86_64__)

enum { RELOCATION_COUNT = 7, DYNAMIC_COUNT = 10 };

// What the compiler makes, in small: headers and tables, code, data.
typedef struct elf_file_t {
  Elf64_Ehdr header;
  Elf64_Phdr segments[5];
  Elf64_Sym symbols[2];
  uint32_t hash[6];
  char strings[64];
  Elf64_Rela relocations[RELOCATION_COUNT];
  char function_name[16];
  // Mapped at 0x1000 + its offset.
  uint8_t code[64];
  // Mapped at 0x2000 + its offset.
  struct {
    iree_cy_library_header_t library_header;
    iree_cy_library_t library;
    iree_cy_library_dispatch_attrs_t attrs[1];
    uint64_t fns[1];
    uint64_t names[1];
    Elf64_Dyn dynamic[DYNAMIC_COUNT];
  } data;
} elf_file_t;

#define OFFSET(member) ((uint64_t)offsetof(elf_file_t, member))
#define CODE_VADDR (0x1000 + OFFSET(code))
#define DATA_VADDR(member) (0x2000 + OFFSET(data.member))
#define KERNEL_OFFSET 32

static void set_segment(Elf64_Phdr* segment, uint32_t type, uint32_t flags,
                        uint64_t offset, uint64_t vaddr, uint64_t file_size,
                        uint64_t memory_size) {
  segment->p_type = type;
  segment->p_flags = flags;
  segment->p_offset = offset;
  segment->p_vaddr = segment->p_paddr = vaddr;
  segment->p_filesz = file_size;
  segment->p_memsz = memory_size;
  segment->p_align = 0x1000;
}

static void set_relative(Elf64_Rela* relocation, uint64_t offset,
                         uint64_t value) {
  relocation->r_offset = offset;
  relocation->r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
  relocation->r_addend = (int64_t)value;
}

static void set_code(elf_file_t* file) {
  // cmp edi, 6; lea rax, [rip + library]; mov ecx, 0; cmovne rax, rcx; ret
  static const uint8_t query[] = {0x83, 0xff, 0x06, 0x48, 0x8d, 0x05, 0,
                                  0,    0,    0,    0xb9, 0,    0,    0,
                                  0,    0x48, 0x0f, 0x45, 0xc1, 0xc3};
  // mov rax, [rsi + 32]; mov rax, [rax]; mov ecx, [rdx]; lea edx, [rcx + 100];
  // mov [rax + rcx * 4], edx; xor eax, eax; ret
  static const uint8_t kernel[] = {0x48, 0x8b, 0x46, 0x20, 0x48, 0x8b,
                                   0x00, 0x8b, 0x0a, 0x8d, 0x51, 0x64,
                                   0x89, 0x14, 0x88, 0x31, 0xc0, 0xc3};
  const int32_t distance = (int32_t)(DATA_VADDR(library) - (CODE_VADDR + 10));
  memset(file->code, 0xcc, sizeof(file->code));
  memcpy(file->code, query, sizeof(query));
  memcpy(file->code + 6, &distance, sizeof(distance));
  memcpy(file->code + KERNEL_OFFSET, kernel, sizeof(kernel));
}

static void set_dynamic(elf_file_t* file) {
  const Elf64_Dyn entries[DYNAMIC_COUNT] = {
      {DT_FLAGS, {DF_BIND_NOW}},
      {DT_RELA, {OFFSET(relocations)}},
      {DT_RELASZ, {sizeof(file->relocations)}},
      {DT_RELAENT, {sizeof(Elf64_Rela)}},
      {DT_SYMTAB, {OFFSET(symbols)}},
      {DT_SYMENT, {sizeof(Elf64_Sym)}},
      {DT_STRTAB, {OFFSET(strings)}},
      {DT_STRSZ, {sizeof(file->strings)}},
      {DT_HASH, {OFFSET(hash)}},
      {DT_NULL, {0}},
  };
  memcpy(file->data.dynamic, entries, sizeof(entries));
}

static void make_file(elf_file_t* file) {
  memset(file, 0, sizeof(*file));
  memcpy(file->header.e_ident, ELFMAG, SELFMAG);
  file->header.e_ident[EI_CLASS] = ELFCLASS64;
  file->header.e_ident[EI_DATA] = ELFDATA2LSB;
  file->header.e_ident[EI_VERSION] = EV_CURRENT;
  file->header.e_type = ET_DYN;
  file->header.e_machine = EM_X86_64;
  file->header.e_version = EV_CURRENT;
  file->header.e_phoff = OFFSET(segments);
  file->header.e_ehsize = sizeof(Elf64_Ehdr);
  file->header.e_phentsize = sizeof(Elf64_Phdr);
  file->header.e_phnum = 5;
  set_segment(&file->segments[0], PT_LOAD, PF_R, 0, 0, OFFSET(code),
              OFFSET(code));
  set_segment(&file->segments[1], PT_LOAD, PF_R | PF_X, OFFSET(code),
              CODE_VADDR, sizeof(file->code), sizeof(file->code));
  // Data, and zeros behind it on a page of their own.
  set_segment(&file->segments[2], PT_LOAD, PF_R | PF_W, OFFSET(data),
              0x2000 + OFFSET(data), sizeof(file->data), 0x1800);
  set_segment(&file->segments[3], PT_DYNAMIC, PF_R | PF_W, OFFSET(data.dynamic),
              DATA_VADDR(dynamic), sizeof(file->data.dynamic),
              sizeof(file->data.dynamic));
  set_segment(&file->segments[4], PT_GNU_RELRO, PF_R, OFFSET(data),
              0x2000 + OFFSET(data), sizeof(file->data), 0x1000 - OFFSET(data));
  strcpy(file->strings + 1, IREE_CY_LIBRARY_QUERY_NAME);
  strcpy(file->function_name, "kernel");
  file->symbols[1].st_name = 1;
  file->symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  file->symbols[1].st_shndx = 7;
  file->symbols[1].st_value = CODE_VADDR;
  file->symbols[1].st_size = 20;
  const uint32_t hash[6] = {1, 2, 1, 0, 0, 0};
  memcpy(file->hash, hash, sizeof(hash));
  Elf64_Rela* relocations = file->relocations;
  set_relative(&relocations[0], DATA_VADDR(library_header.name),
               OFFSET(function_name));
  set_relative(&relocations[1], DATA_VADDR(library.header),
               DATA_VADDR(library_header));
  set_relative(&relocations[2], DATA_VADDR(library.exports.fns),
               DATA_VADDR(fns));
  set_relative(&relocations[3], DATA_VADDR(library.exports.attrs),
               DATA_VADDR(attrs));
  set_relative(&relocations[4], DATA_VADDR(library.exports.names),
               DATA_VADDR(names));
  set_relative(&relocations[5], DATA_VADDR(fns), CODE_VADDR + KERNEL_OFFSET);
  set_relative(&relocations[6], DATA_VADDR(names), OFFSET(function_name));
  file->data.library_header.version = IREE_CY_LIBRARY_VERSION;
  file->data.library.exports.count = 1;
  file->data.attrs[0].binding_count = 1;
  set_dynamic(file);
  set_code(file);
}

static iree_const_byte_span_t file_span(const elf_file_t* file) {
  return iree_make_const_byte_span(file, sizeof(*file));
}

static iree_status_t load_and_unload(iree_const_byte_span_t file) {
  iree_cy_elf_image_t image;
  void* address = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_elf_image_load(file, &image));
  iree_status_t status = iree_cy_elf_image_lookup_function(
      &image, IREE_SV(IREE_CY_LIBRARY_QUERY_NAME), &address);
  iree_cy_elf_image_unload(&image);
  return status;
}

// The rights of the page of |address| as the kernel lists them ("r-xp").
static void page_rights(const void* address, char rights[5]) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  memset(rights, 0, 5);
  if (!maps) return;
  while (fgets(line, sizeof(line), maps)) {
    unsigned long long begin = 0, end = 0;
    char text[5] = {0};
    if (sscanf(line, "%llx-%llx %4s", &begin, &end, text) == 3 &&
        (uintptr_t)address >= begin && (uintptr_t)address < end) {
      memcpy(rights, text, 5);
    }
  }
  fclose(maps);
}

static void expect_rights(const void* address, const char* expected) {
  char rights[5];
  page_rights(address, rights);
  EXPECT_EQ_SV(iree_make_cstring_view(rights),
               iree_make_cstring_view(expected));
}

CTEST(maps_with_the_right_protection) {
  elf_file_t file;
  iree_cy_elf_image_t image;
  make_file(&file);
  REQUIRE_OK(iree_cy_elf_image_load(file_span(&file), &image));
  void* query = NULL;
  REQUIRE_OK(iree_cy_elf_image_lookup_function(
      &image, IREE_SV(IREE_CY_LIBRARY_QUERY_NAME), &query));
  EXPECT(query == image.pages + CODE_VADDR);
  expect_rights(image.pages, "r--p");
  expect_rights(image.pages + 0x1000, "r-xp");
  expect_rights(image.pages + 0x2000, "r--p");
  expect_rights(image.pages + 0x3000, "rw-p");
  EXPECT_EQ_BYTES(image.pages + CODE_VADDR, file.code, sizeof(file.code));
  const uint8_t* last = image.pages + 0x2000 + OFFSET(data) + 0x17FF;
  EXPECT_EQ_I64(*last, 0);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, iree_cy_elf_image_lookup_function(
                                           &image, IREE_SV("other"), &query));
  EXPECT(query == NULL);
  iree_cy_elf_image_unload(&image);
}

CTEST(needs_no_alignment_of_the_file) {
  uint8_t* bytes = (uint8_t*)malloc(sizeof(elf_file_t) + 1);
  elf_file_t file;
  REQUIRE(bytes != NULL);
  make_file(&file);
  memcpy(bytes + 1, &file, sizeof(file));
  EXPECT_OK(
      load_and_unload(iree_make_const_byte_span(bytes + 1, sizeof(file))));
  free(bytes);
}

CTEST(relocates_against_symbols) {
  elf_file_t file;
  iree_cy_elf_image_t image;
  make_file(&file);
  file.relocations[5].r_info = ELF64_R_INFO(1, R_X86_64_64);
  file.relocations[5].r_addend = KERNEL_OFFSET;
  file.relocations[6].r_info = ELF64_R_INFO(1, R_X86_64_GLOB_DAT);
  REQUIRE_OK(iree_cy_elf_image_load(file_span(&file), &image));
  uint64_t value = 0;
  memcpy(&value, image.pages + DATA_VADDR(fns), sizeof(value));
  EXPECT_EQ_I64(value, (uintptr_t)image.pages + CODE_VADDR + KERNEL_OFFSET);
  memcpy(&value, image.pages + DATA_VADDR(names), sizeof(value));
  EXPECT_EQ_I64(value, (uintptr_t)image.pages + CODE_VADDR);
  iree_cy_elf_image_unload(&image);
}

CTEST(counts_symbols_by_the_gnu_table) {
  elf_file_t file;
  make_file(&file);
  // One bucket, which begins at symbol 1, no filter; the chain ends at once.
  const uint32_t hash[6] = {1, 1, 0, 0, 1, 1};
  memcpy(file.hash, hash, sizeof(hash));
  file.data.dynamic[8].d_tag = DT_GNU_HASH;
  EXPECT_OK(load_and_unload(file_span(&file)));
  // A chain that never ends, and a filter that is larger than the file.
  file.hash[5] = 0;
  file.strings[0] = 0;
  EXPECT_OK(load_and_unload(file_span(&file)));
  file.hash[2] = UINT32_MAX;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                load_and_unload(file_span(&file)));
}

#define EXPECT_BROKEN(code, statement)                      \
  do {                                                      \
    elf_file_t file;                                        \
    make_file(&file);                                       \
    statement;                                              \
    EXPECT_STATUS(code, load_and_unload(file_span(&file))); \
  } while (0)
#define EXPECT_MALFORMED(statement) \
  EXPECT_BROKEN(IREE_STATUS_INVALID_ARGUMENT, statement)
#define EXPECT_UNSUPPORTED(statement) \
  EXPECT_BROKEN(IREE_STATUS_UNIMPLEMENTED, statement)

CTEST(refuses_headers) {
  EXPECT_MALFORMED(file.header.e_ident[0] = 'E');
  EXPECT_BROKEN(IREE_STATUS_INCOMPATIBLE,
                file.header.e_ident[EI_CLASS] = ELFCLASS32);
  EXPECT_BROKEN(IREE_STATUS_INCOMPATIBLE,
                file.header.e_ident[EI_DATA] = ELFDATA2MSB);
  EXPECT_BROKEN(IREE_STATUS_INCOMPATIBLE, file.header.e_machine = EM_AARCH64);
  EXPECT_MALFORMED(file.header.e_ident[EI_VERSION] = 2);
  EXPECT_MALFORMED(file.header.e_version = 0);
  EXPECT_MALFORMED(file.header.e_type = ET_EXEC);
  EXPECT_MALFORMED(file.header.e_ehsize = 52);
  EXPECT_MALFORMED(file.header.e_phentsize = 32);
  EXPECT_MALFORMED(file.header.e_phnum = 0);
  EXPECT_MALFORMED(file.header.e_phnum = 65);
  EXPECT_MALFORMED(file.header.e_phoff = sizeof(file) - 1);
  EXPECT_MALFORMED(file.header.e_phoff = UINT64_MAX - 8);
}

CTEST(names_the_machine) {
  elf_file_t file;
  make_file(&file);
  file.header.e_machine = EM_AARCH64;
  iree_status_t status = load_and_unload(file_span(&file));
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("ELF file: it is for machine 183; this one is x86_64 "
                       "(62)"));
  iree_status_ignore(status);
}

CTEST(refuses_segments) {
  EXPECT_MALFORMED(file.segments[1].p_offset = sizeof(file));
  EXPECT_MALFORMED(file.segments[1].p_filesz = UINT64_MAX);
  EXPECT_MALFORMED(file.segments[1].p_memsz = 8);
  EXPECT_MALFORMED(file.segments[2].p_memsz = UINT64_MAX - 0x2000);
  EXPECT_MALFORMED(file.segments[2].p_vaddr = UINT64_MAX - 8);
  EXPECT_MALFORMED(file.segments[0].p_align = 3);
  EXPECT_MALFORMED(file.segments[0].p_align = 1ull << 40);
  EXPECT_BROKEN(IREE_STATUS_OUT_OF_RANGE,
                file.segments[2].p_memsz = 1ull << 40);
  EXPECT_UNSUPPORTED(file.segments[1].p_flags = PF_R | PF_W | PF_X);
  EXPECT_UNSUPPORTED(file.segments[1].p_vaddr = 0x800);
  EXPECT_UNSUPPORTED(file.segments[0].p_vaddr = 0x10000);
  EXPECT_UNSUPPORTED(file.segments[4].p_type = PT_TLS);
  EXPECT_UNSUPPORTED(file.segments[4].p_type = PT_INTERP);
  EXPECT_MALFORMED(file.segments[4].p_vaddr = 0x1000);
  EXPECT_MALFORMED(file.segments[4].p_memsz = 0x100000);
  EXPECT_MALFORMED({
    for (int i = 0; i < 3; ++i) file.segments[i].p_type = PT_NULL;
  });
}

CTEST(refuses_dynamic_sections) {
  EXPECT_MALFORMED(file.segments[3].p_type = PT_NULL);
  EXPECT_MALFORMED(file.segments[4] = file.segments[3]);
  EXPECT_MALFORMED(file.segments[3].p_vaddr = 0x5000);
  EXPECT_MALFORMED(file.segments[3].p_memsz = 0x10000);
  EXPECT_MALFORMED(file.data.dynamic[3].d_un.d_val = 16);
  EXPECT_MALFORMED(file.data.dynamic[5].d_un.d_val = 16);
  EXPECT_MALFORMED(file.data.dynamic[4].d_tag = DT_DEBUG);
  EXPECT_MALFORMED(file.data.dynamic[8].d_tag = DT_DEBUG);
  EXPECT_MALFORMED(file.data.dynamic[4].d_un.d_val = 0x900000);
  EXPECT_MALFORMED(file.data.dynamic[6].d_un.d_val = UINT64_MAX - 3);
  EXPECT_MALFORMED(file.data.dynamic[7].d_un.d_val = UINT64_MAX);
  EXPECT_MALFORMED(file.data.dynamic[8].d_un.d_val = 0x1000);
  EXPECT_UNSUPPORTED(file.data.dynamic[0].d_tag = DT_NEEDED);
  EXPECT_UNSUPPORTED(file.data.dynamic[0].d_tag = DT_INIT_ARRAY);
  EXPECT_UNSUPPORTED(file.data.dynamic[0].d_tag = DT_TEXTREL);
  EXPECT_UNSUPPORTED(file.data.dynamic[0].d_tag = DT_REL);
}

CTEST(refuses_symbols) {
  EXPECT_MALFORMED(file.hash[1] = 1000);
  EXPECT_MALFORMED(file.hash[1] = UINT32_MAX);
  EXPECT_BROKEN(IREE_STATUS_NOT_FOUND, file.hash[1] = 1);
  EXPECT_BROKEN(IREE_STATUS_NOT_FOUND, file.symbols[1].st_name = 5);
  EXPECT_BROKEN(IREE_STATUS_NOT_FOUND, file.symbols[1].st_name = UINT32_MAX);
  EXPECT_BROKEN(IREE_STATUS_NOT_FOUND, file.symbols[1].st_shndx = SHN_UNDEF);
  EXPECT_BROKEN(IREE_STATUS_NOT_FOUND, file.data.dynamic[7].d_un.d_val = 20);
  EXPECT_MALFORMED(file.symbols[1].st_value = 0x40);
  EXPECT_MALFORMED(file.symbols[1].st_value = DATA_VADDR(library));
  EXPECT_MALFORMED(file.symbols[1].st_value = UINT64_MAX);
  EXPECT_MALFORMED(file.symbols[1].st_size = 1000);
}

CTEST(refuses_relocations) {
  EXPECT_MALFORMED(file.data.dynamic[1].d_un.d_val = 0x100000);
  EXPECT_MALFORMED(file.data.dynamic[2].d_un.d_val = 25);
  EXPECT_MALFORMED(file.data.dynamic[2].d_un.d_val = 24u << 20);
  EXPECT_MALFORMED(file.relocations[2].r_offset = 0x40);
  EXPECT_MALFORMED(file.relocations[2].r_offset = CODE_VADDR);
  EXPECT_MALFORMED(file.relocations[2].r_offset =
                       0x2000 + OFFSET(data) + 0x1800 - 4);
  EXPECT_MALFORMED(file.relocations[2].r_offset = UINT64_MAX - 3);
  EXPECT_MALFORMED(file.relocations[2].r_addend = 0x900000);
  EXPECT_MALFORMED(file.relocations[2].r_addend = -1);
  EXPECT_MALFORMED(file.relocations[2].r_info =
                       ELF64_R_INFO(2, R_X86_64_GLOB_DAT));
  EXPECT_BROKEN(IREE_STATUS_UNAVAILABLE, {
    file.symbols[0].st_name = 10;
    file.relocations[2].r_info = ELF64_R_INFO(0, R_X86_64_JUMP_SLOT);
  });
}

CTEST(refuses_relocation_types_by_number) {
  elf_file_t file;
  make_file(&file);
  file.relocations[2].r_info = ELF64_R_INFO(0, R_X86_64_PC32);
  iree_status_t status = load_and_unload(file_span(&file));
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("ELF file: relocation type 2 for x86_64"));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED, status);
}

CTEST(refuses_every_cut) {
  elf_file_t file;
  make_file(&file);
  for (size_t size = 0; size < sizeof(file); ++size) {
    // A copy of that size, so that a sanitizer sees a read behind it.
    uint8_t* copy = (uint8_t*)malloc(size ? size : 1);
    REQUIRE(copy != NULL);
    memcpy(copy, &file, size);
    const iree_const_byte_span_t span = iree_make_const_byte_span(copy, size);
    EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, load_and_unload(span));
    EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, iree_cy_elf_check_file(span));
    free(copy);
  }
  EXPECT_OK(iree_cy_elf_check_file(file_span(&file)));
}

CTEST(survives_every_changed_byte) {
  elf_file_t original;
  make_file(&original);
  int loaded = 0;
  for (size_t i = 0; i < sizeof(original); ++i) {
    for (int bit = 0; bit < 9; ++bit) {
      elf_file_t file = original;
      ((uint8_t*)&file)[i] ^= bit < 8 ? (uint8_t)(1u << bit) : 0xFF;
      loaded += iree_status_consume_code(load_and_unload(file_span(&file))) ==
                IREE_STATUS_OK;
    }
  }
  // Most of it is data that may be anything.
  EXPECT(loaded > 0);
  EXPECT(loaded < (int)sizeof(original) * 9);
}

CTEST(survives_mutations) {
  elf_file_t original;
  make_file(&original);
  uint64_t state = 88172645463325252ull;
  for (int round = 0; round < 20000; ++round) {
    elf_file_t file = original;
    for (int i = 0; i < 1 + round % 6; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      const size_t offset = (size_t)(state % sizeof(file));
      const size_t width = (size_t)1 << ((state >> 32) % 4);
      const uint64_t values[4] = {state >> 16, 0, UINT64_MAX,
                                  (state >> 40) % 0x4000};
      if (offset + width > sizeof(file)) continue;
      memcpy((uint8_t*)&file + offset, &values[(state >> 60) % 4], width);
    }
    iree_status_ignore(load_and_unload(file_span(&file)));
  }
}

CTEST(runs_what_it_loaded) {
  elf_file_t file;
  iree_hal_executable_loader_t* loader = NULL;
  iree_hal_executable_t* executable = NULL;
  make_file(&file);
  REQUIRE_OK(iree_hal_executable_loader_create(
      IREE_SV("embedded-elf"), iree_allocator_system(), &loader));
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = IREE_SV("embedded-elf-x86_64"),
      .executable_data = file_span(&file),
  };
  REQUIRE_OK(
      iree_hal_executable_loader_try_load(loader, &params, 1, &executable));
  iree_hal_executable_loader_release(loader);
  memset(&file, 0, sizeof(file));
  iree_hal_executable_function_t function = {9};
  EXPECT_OK(iree_hal_executable_lookup_function_by_name(
      executable, IREE_SV("kernel"), &function));
  uint32_t results[5] = {0};
  void* const binding_ptrs[1] = {results};
  const size_t binding_lengths[1] = {sizeof(results)};
  const iree_hal_local_dispatch_t dispatch = {
      .size = sizeof(dispatch),
      .workgroup_count = {5, 1, 1},
      .binding_count = 1,
      .binding_ptrs = binding_ptrs,
      .binding_lengths = binding_lengths,
  };
  EXPECT_OK(iree_hal_local_executable_dispatch(
      executable, function, &dispatch, 0, 5, 0, iree_byte_span_empty()));
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ_I64(results[i], 100 + i);
  iree_hal_executable_release(executable);
}

#else

CTEST(takes_no_file_here) {
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_elf_check_file(iree_make_const_byte_span("x", 1)));
}

#endif  // __x86_64__

CTEST_MAIN()
