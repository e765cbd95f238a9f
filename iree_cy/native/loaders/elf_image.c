// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the reading, mapping and relocation of embedded ELF files. Nothing in a
// file is trusted: every offset is checked before it is followed.

#include "iree_cy/native/loaders/elf_image.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iree_cy/native/loaders/processor.h"

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#define RELOCATION_NONE R_X86_64_NONE
#define RELOCATION_RELATIVE R_X86_64_RELATIVE
#define RELOCATION_GLOB_DAT R_X86_64_GLOB_DAT
#define RELOCATION_JUMP_SLOT R_X86_64_JUMP_SLOT
#define RELOCATION_ABSOLUTE R_X86_64_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#define RELOCATION_NONE R_AARCH64_NONE
#define RELOCATION_RELATIVE R_AARCH64_RELATIVE
#define RELOCATION_GLOB_DAT R_AARCH64_GLOB_DAT
#define RELOCATION_JUMP_SLOT R_AARCH64_JUMP_SLOT
#define RELOCATION_ABSOLUTE R_AARCH64_ABS64
#else
// No file is for this machine.
#define NATIVE_MACHINE EM_NONE
#define RELOCATION_NONE 0
#define RELOCATION_RELATIVE 1
#define RELOCATION_GLOB_DAT 2
#define RELOCATION_JUMP_SLOT 3
#define RELOCATION_ABSOLUTE 4
#endif

enum { MAX_PROGRAM_HEADER_COUNT = 64 };
// Larger than any compiled program; keeps a broken size from taking all
// address space.
#define MAX_SPAN ((uint64_t)1 << 31)
#define MAX_SEGMENT_ALIGNMENT ((uint64_t)1 << 21)
#define MAX_POPULATED_SIZE ((iree_host_size_t)1 << 16)

#define MALFORMED(...) \
  iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "ELF file: " __VA_ARGS__)
#define UNSUPPORTED(...) \
  iree_make_status(IREE_STATUS_UNIMPLEMENTED, "ELF file: " __VA_ARGS__)

static bool range_fits(uint64_t offset, uint64_t length, uint64_t limit) {
  return offset <= limit && length <= limit - offset;
}

// The program headers of a file, still anywhere in it and not aligned.
typedef struct program_headers_t {
  const uint8_t* data;
  uint32_t count;
} program_headers_t;

static Elf64_Phdr program_header_at(const program_headers_t* headers,
                                    uint32_t index) {
  Elf64_Phdr header;
  memcpy(&header, headers->data + index * sizeof(header), sizeof(header));
  return header;
}

static iree_status_t check_identification(iree_const_byte_span_t file) {
  Elf64_Ehdr header;
  if (file.data_length < sizeof(header)) {
    return MALFORMED("%" PRIhsz " bytes are too few for its header",
                     file.data_length);
  }
  memcpy(&header, file.data, sizeof(header));
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return MALFORMED("it does not begin with the letters ELF");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "ELF file: class %d, byte order %d; this machine takes 64-bit "
        "little-endian files",
        header.e_ident[EI_CLASS], header.e_ident[EI_DATA]);
  }
  if (header.e_machine != NATIVE_MACHINE) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "ELF file: it is for machine %d; this one "
                            "is " IREE_CY_PROCESSOR_ARCHITECTURE " (%d)",
                            header.e_machine, NATIVE_MACHINE);
  }
  if (header.e_ident[EI_VERSION] != EV_CURRENT ||
      header.e_version != EV_CURRENT) {
    return MALFORMED("version %d, %" PRIu32 "; both must be 1",
                     header.e_ident[EI_VERSION], header.e_version);
  }
  if (header.e_type != ET_DYN) {
    return MALFORMED("type %d is not that of a shared object", header.e_type);
  }
  return iree_ok_status();
}

static iree_status_t read_program_headers(iree_const_byte_span_t file,
                                          program_headers_t* out_headers) {
  memset(out_headers, 0, sizeof(*out_headers));
  IREE_RETURN_IF_ERROR(check_identification(file));
  Elf64_Ehdr header;
  memcpy(&header, file.data, sizeof(header));
  if (header.e_ehsize != sizeof(Elf64_Ehdr) ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return MALFORMED("header sizes %d and %d are not 64 and 56",
                     header.e_ehsize, header.e_phentsize);
  }
  if (!header.e_phnum || header.e_phnum > MAX_PROGRAM_HEADER_COUNT) {
    return MALFORMED("%d program headers; 1 to %d can be read", header.e_phnum,
                     MAX_PROGRAM_HEADER_COUNT);
  }
  if (!range_fits(header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr),
                  file.data_length)) {
    return MALFORMED("its %d program headers at 0x%" PRIx64
                     " are not in its %" PRIhsz " bytes",
                     header.e_phnum, (uint64_t)header.e_phoff,
                     file.data_length);
  }
  out_headers->data = file.data + header.e_phoff;
  out_headers->count = header.e_phnum;
  return iree_ok_status();
}

static iree_status_t check_segment_in_file(const Elf64_Phdr* header,
                                           iree_const_byte_span_t file) {
  uint64_t end = 0;
  if (!range_fits(header->p_offset, header->p_filesz, file.data_length)) {
    return MALFORMED("segment at 0x%" PRIx64 " of 0x%" PRIx64
                     " bytes is not in its %" PRIhsz " bytes",
                     (uint64_t)header->p_offset, (uint64_t)header->p_filesz,
                     file.data_length);
  }
  if (header->p_filesz > header->p_memsz ||
      __builtin_add_overflow(header->p_vaddr, header->p_memsz, &end) ||
      end > (uint64_t)INT64_MAX) {
    return MALFORMED("segment at address 0x%" PRIx64 " has 0x%" PRIx64
                     " bytes in the file, 0x%" PRIx64 " in memory",
                     (uint64_t)header->p_vaddr, (uint64_t)header->p_filesz,
                     (uint64_t)header->p_memsz);
  }
  return iree_ok_status();
}

iree_status_t iree_cy_elf_check_file(iree_const_byte_span_t file) {
  program_headers_t headers;
  IREE_RETURN_IF_ERROR(read_program_headers(file, &headers));
  for (uint32_t i = 0; i < headers.count; ++i) {
    const Elf64_Phdr header = program_header_at(&headers, i);
    if (header.p_type != PT_LOAD && header.p_type != PT_DYNAMIC) continue;
    IREE_RETURN_IF_ERROR(check_segment_in_file(&header, file));
  }
  return iree_ok_status();
}

//===-- layout --------------------------------------------------------------===

static uint64_t page_floor(const iree_cy_elf_image_t* image, uint64_t address) {
  return address & ~(uint64_t)(image->page_size - 1);
}
// |address| is at most INT64_MAX.
static uint64_t page_ceiling(const iree_cy_elf_image_t* image,
                             uint64_t address) {
  return page_floor(image, address + image->page_size - 1);
}

static iree_status_t add_segment(iree_cy_elf_image_t* image,
                                 const Elf64_Phdr* header) {
  if (iree_all_bits_set(header->p_flags, PF_W | PF_X)) {
    return UNSUPPORTED("a segment is writable and executable at once");
  }
  if (!header->p_memsz) return iree_ok_status();
  if (image->segment_count == IREE_CY_ELF_MAX_SEGMENT_COUNT) {
    return UNSUPPORTED("more than %d segments", IREE_CY_ELF_MAX_SEGMENT_COUNT);
  }
  if (image->segment_count) {
    const iree_cy_elf_segment_t* last =
        &image->segments[image->segment_count - 1];
    if (page_floor(image, header->p_vaddr) <
        page_ceiling(image, last->vaddr + last->memory_size)) {
      return UNSUPPORTED("segments at 0x%" PRIx64 " and 0x%" PRIx64
                         " share a page or are out of order",
                         last->vaddr, (uint64_t)header->p_vaddr);
    }
  }
  const iree_cy_elf_segment_t segment = {
      .vaddr = header->p_vaddr,
      .memory_size = header->p_memsz,
      .file_offset = header->p_offset,
      .file_size = header->p_filesz,
      .flags = header->p_flags & (PF_R | PF_W | PF_X),
  };
  image->segments[image->segment_count++] = segment;
  return iree_ok_status();
}

// Fills segments, low_vaddr and span.
static iree_status_t plan_layout(iree_cy_elf_image_t* image,
                                 const program_headers_t* headers,
                                 iree_const_byte_span_t file,
                                 uint64_t* out_alignment) {
  *out_alignment = image->page_size;
  for (uint32_t i = 0; i < headers->count; ++i) {
    const Elf64_Phdr header = program_header_at(headers, i);
    if (header.p_type == PT_TLS || header.p_type == PT_INTERP) {
      return UNSUPPORTED("%s; embedded code stands alone",
                         header.p_type == PT_TLS ? "it has thread-local data"
                                                 : "it asks for a linker");
    }
    if (header.p_type != PT_LOAD) continue;
    IREE_RETURN_IF_ERROR(check_segment_in_file(&header, file));
    IREE_RETURN_IF_ERROR(add_segment(image, &header));
    if (header.p_align > MAX_SEGMENT_ALIGNMENT ||
        (header.p_align & (header.p_align - 1)) != 0) {
      return MALFORMED("segment alignment 0x%" PRIx64
                       " is no power of two up to 0x%" PRIx64,
                       (uint64_t)header.p_align, MAX_SEGMENT_ALIGNMENT);
    }
    *out_alignment = iree_max(*out_alignment, (uint64_t)header.p_align);
  }
  if (!image->segment_count) return MALFORMED("it has nothing to load");
  const iree_cy_elf_segment_t* last =
      &image->segments[image->segment_count - 1];
  // With the alignment of the whole, so that every segment gets its own.
  image->low_vaddr = image->segments[0].vaddr & ~(*out_alignment - 1);
  image->span =
      page_ceiling(image, last->vaddr + last->memory_size) - image->low_vaddr;
  if (image->span > MAX_SPAN) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "ELF file: it spans 0x%" PRIx64 " bytes; 0x%" PRIx64
                            " is the most",
                            image->span, MAX_SPAN);
  }
  return iree_ok_status();
}

// The memory of [vaddr, vaddr + size), when that lies in one segment which has
// all of |flags|; else NULL.
static uint8_t* image_memory(const iree_cy_elf_image_t* image, uint64_t vaddr,
                             uint64_t size, uint32_t flags) {
  for (uint32_t i = 0; i < image->segment_count; ++i) {
    const iree_cy_elf_segment_t* segment = &image->segments[i];
    if (vaddr < segment->vaddr) continue;
    if (!range_fits(vaddr - segment->vaddr, size, segment->memory_size)) {
      continue;
    }
    if (!iree_all_bits_set(segment->flags, flags)) return NULL;
    return image->pages + (vaddr - image->low_vaddr);
  }
  return NULL;
}

// The same for a table: in what came from the file, so that the time to read it
// is bounded by the size of the file.
static const uint8_t* image_table(const iree_cy_elf_image_t* image,
                                  uint64_t vaddr, uint64_t size) {
  for (uint32_t i = 0; i < image->segment_count; ++i) {
    const iree_cy_elf_segment_t* segment = &image->segments[i];
    if (vaddr < segment->vaddr) continue;
    if (!range_fits(vaddr - segment->vaddr, size, segment->file_size)) continue;
    return image->pages + (vaddr - image->low_vaddr);
  }
  return NULL;
}

static iree_status_t errno_status(const char* what, uint64_t size) {
  const int error = errno;
  return iree_make_status(iree_status_code_from_errno(error),
                          "%s of 0x%" PRIx64 " bytes for code failed: %s", what,
                          size, strerror(error));
}

static iree_status_t map_segments(iree_cy_elf_image_t* image,
                                  iree_const_byte_span_t file,
                                  uint64_t alignment) {
  const uint64_t slack = alignment - image->page_size;
  image->reservation_size = (iree_host_size_t)(image->span + slack);
  // One call brings in what a small file writes to, in place of a fault a page.
  const int populate =
      image->reservation_size <= MAX_POPULATED_SIZE ? MAP_POPULATE : 0;
  void* reservation =
      mmap(NULL, image->reservation_size, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | populate, -1, 0);
  if (reservation == MAP_FAILED) {
    return errno_status("mapping", image->reservation_size);
  }
  image->reservation = reservation;
  image->pages = (uint8_t*)(((uintptr_t)reservation + slack) &
                            ~(uintptr_t)(alignment - 1));
  for (uint32_t i = 0; i < image->segment_count; ++i) {
    const iree_cy_elf_segment_t* segment = &image->segments[i];
    if (!segment->file_size) continue;
    memcpy(image->pages + (segment->vaddr - image->low_vaddr),
           file.data + segment->file_offset, segment->file_size);
  }
  return iree_ok_status();
}

//===-- dynamic section -----------------------------------------------------===

// What the dynamic section says; virtual addresses, unchecked.
typedef struct dynamic_info_t {
  uint64_t symbols, strings, strings_size, hash, gnu_hash;
  uint64_t rela, rela_size, plt_rela, plt_rela_size;
  bool has_symbols, has_hash, has_gnu_hash;
} dynamic_info_t;

static iree_status_t check_entry_size(const char* name, uint64_t value,
                                      uint64_t expected) {
  if (value == expected) return iree_ok_status();
  return MALFORMED("%s is %" PRIu64 ", not %" PRIu64, name, value, expected);
}

static iree_status_t read_dynamic_entry(const Elf64_Dyn* entry,
                                        dynamic_info_t* info) {
  const uint64_t value = entry->d_un.d_val;
  switch (entry->d_tag) {
    case DT_SYMTAB:
      info->symbols = value;
      info->has_symbols = true;
      return iree_ok_status();
    case DT_STRTAB:
      info->strings = value;
      return iree_ok_status();
    case DT_STRSZ:
      info->strings_size = value;
      return iree_ok_status();
    case DT_HASH:
      info->hash = value;
      info->has_hash = true;
      return iree_ok_status();
    case DT_GNU_HASH:
      info->gnu_hash = value;
      info->has_gnu_hash = true;
      return iree_ok_status();
    case DT_RELA:
      info->rela = value;
      return iree_ok_status();
    case DT_RELASZ:
      info->rela_size = value;
      return iree_ok_status();
    case DT_JMPREL:
      info->plt_rela = value;
      return iree_ok_status();
    case DT_PLTRELSZ:
      info->plt_rela_size = value;
      return iree_ok_status();
    case DT_SYMENT:
      return check_entry_size("DT_SYMENT", value, sizeof(Elf64_Sym));
    case DT_RELAENT:
      return check_entry_size("DT_RELAENT", value, sizeof(Elf64_Rela));
    case DT_PLTREL:
      return check_entry_size("DT_PLTREL", value, DT_RELA);
    case DT_NEEDED:
      return UNSUPPORTED(
          "it needs another library; embedded code stands "
          "alone");
    case DT_REL:
    case DT_RELSZ:
    case DT_RELR:
    case DT_RELRSZ:
    case DT_TEXTREL:
    case DT_INIT:
    case DT_INIT_ARRAY:
    case DT_FINI:
    case DT_FINI_ARRAY:
    case DT_PREINIT_ARRAY:
      return UNSUPPORTED("dynamic section entry %" PRId64
                         " (relocations in another form, or initializers)",
                         (int64_t)entry->d_tag);
    default:
      return iree_ok_status();
  }
}

static iree_status_t read_dynamic_section(const iree_cy_elf_image_t* image,
                                          const program_headers_t* headers,
                                          dynamic_info_t* out_info) {
  memset(out_info, 0, sizeof(*out_info));
  bool is_found = false;
  for (uint32_t i = 0; i < headers->count; ++i) {
    const Elf64_Phdr header = program_header_at(headers, i);
    if (header.p_type != PT_DYNAMIC) continue;
    if (is_found) return MALFORMED("it has two dynamic sections");
    is_found = true;
    const uint8_t* data = image_table(image, header.p_vaddr, header.p_memsz);
    if (!data) return MALFORMED("its dynamic section is not in a segment");
    const uint64_t count = header.p_memsz / sizeof(Elf64_Dyn);
    for (uint64_t j = 0; j < count; ++j) {
      Elf64_Dyn entry;
      memcpy(&entry, data + j * sizeof(entry), sizeof(entry));
      if (entry.d_tag == DT_NULL) break;
      IREE_RETURN_IF_ERROR(read_dynamic_entry(&entry, out_info));
    }
  }
  if (!is_found) return MALFORMED("it has no dynamic section");
  return iree_ok_status();
}

static uint32_t read_u32(const uint8_t* data, uint64_t index) {
  uint32_t value = 0;
  memcpy(&value, data + index * sizeof(value), sizeof(value));
  return value;
}

// The number of symbols that a DT_GNU_HASH table knows of: one more than the
// last of the longest-reaching chain.
static iree_status_t count_gnu_hash_symbols(const iree_cy_elf_image_t* image,
                                            uint64_t vaddr,
                                            uint64_t* out_count) {
  *out_count = 0;
  const uint8_t* head = image_table(image, vaddr, 4 * sizeof(uint32_t));
  if (!head) return MALFORMED("its hash table is not in a segment");
  const uint64_t bucket_count = read_u32(head, 0);
  const uint64_t first_symbol = read_u32(head, 1);
  const uint64_t bloom_count = read_u32(head, 2);
  const uint64_t buckets_vaddr =
      vaddr + 4 * sizeof(uint32_t) + bloom_count * sizeof(uint64_t);
  const uint8_t* buckets =
      image_table(image, buckets_vaddr, bucket_count * sizeof(uint32_t));
  if (!buckets) return MALFORMED("its hash buckets are not in a segment");
  uint64_t last_symbol = 0;
  for (uint64_t i = 0; i < bucket_count; ++i) {
    last_symbol = iree_max(last_symbol, (uint64_t)read_u32(buckets, i));
  }
  *out_count = first_symbol;
  if (last_symbol < first_symbol) return iree_ok_status();
  const uint64_t chains_vaddr = buckets_vaddr + bucket_count * sizeof(uint32_t);
  for (;; ++last_symbol) {
    const uint8_t* link = image_table(
        image, chains_vaddr + (last_symbol - first_symbol) * sizeof(uint32_t),
        sizeof(uint32_t));
    if (!link) return MALFORMED("a hash chain leaves its segment");
    // The lowest bit ends a chain.
    if (read_u32(link, 0) & 1) break;
  }
  *out_count = last_symbol + 1;
  return iree_ok_status();
}

static iree_status_t find_symbols(iree_cy_elf_image_t* image,
                                  const dynamic_info_t* info) {
  if (!info->has_symbols) return MALFORMED("it has no symbol table");
  uint64_t count = 0;
  if (info->has_hash) {
    const uint8_t* head = image_table(image, info->hash, 2 * sizeof(uint32_t));
    if (!head) return MALFORMED("its hash table is not in a segment");
    count = read_u32(head, 1);
  } else if (info->has_gnu_hash) {
    IREE_RETURN_IF_ERROR(count_gnu_hash_symbols(image, info->gnu_hash, &count));
  } else {
    return MALFORMED("it has no hash table, so its symbols cannot be counted");
  }
  image->symbols = image_table(image, info->symbols, count * sizeof(Elf64_Sym));
  if (!image->symbols) {
    return MALFORMED("its %" PRIu64 " symbols are not in a segment", count);
  }
  image->symbol_count = count;
  image->strings =
      (const char*)image_table(image, info->strings, info->strings_size);
  if (!image->strings) {
    return MALFORMED("its 0x%" PRIx64 " bytes of names are not in a segment",
                     info->strings_size);
  }
  image->strings_size = info->strings_size;
  return iree_ok_status();
}

static Elf64_Sym symbol_at(const iree_cy_elf_image_t* image, uint64_t index) {
  Elf64_Sym symbol;
  memcpy(&symbol, image->symbols + index * sizeof(symbol), sizeof(symbol));
  return symbol;
}

// The name of |symbol|; empty when it is not in the table of names.
static iree_string_view_t symbol_name(const iree_cy_elf_image_t* image,
                                      const Elf64_Sym* symbol) {
  if (symbol->st_name >= image->strings_size) return iree_string_view_empty();
  const char* name = image->strings + symbol->st_name;
  const char* end =
      (const char*)memchr(name, 0, image->strings_size - symbol->st_name);
  if (!end) return iree_string_view_empty();
  return iree_make_string_view(name, (iree_host_size_t)(end - name));
}

//===-- relocations ---------------------------------------------------------===

// The address that a relocation against symbol |index| stands for.
static iree_status_t resolve_symbol(const iree_cy_elf_image_t* image,
                                    uint64_t index, uint64_t* out_address) {
  *out_address = 0;
  if (index >= image->symbol_count) {
    return MALFORMED("a relocation names symbol %" PRIu64 " of %" PRIu64, index,
                     image->symbol_count);
  }
  const Elf64_Sym symbol = symbol_at(image, index);
  if (symbol.st_shndx == SHN_UNDEF) {
    if (ELF64_ST_BIND(symbol.st_info) == STB_WEAK) return iree_ok_status();
    const iree_string_view_t name = symbol_name(image, &symbol);
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            "ELF file: it needs '%.*s' from outside; embedded "
                            "code stands alone",
                            (int)iree_min(name.size, 64), name.data);
  }
  const uint8_t* address = image_memory(image, symbol.st_value, 0, 0);
  if (!address) {
    return MALFORMED("symbol %" PRIu64 " at 0x%" PRIx64 " is not in a segment",
                     index, (uint64_t)symbol.st_value);
  }
  *out_address = (uint64_t)(uintptr_t)address;
  return iree_ok_status();
}

static iree_status_t apply_relocation(const iree_cy_elf_image_t* image,
                                      const Elf64_Rela* relocation) {
  const uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
  if (type == RELOCATION_NONE) return iree_ok_status();
  uint64_t value = 0;
  if (type == RELOCATION_RELATIVE) {
    const uint8_t* address =
        image_memory(image, (uint64_t)relocation->r_addend, 0, 0);
    if (!address) {
      return MALFORMED("a relocation to 0x%" PRIx64 " is not in a segment",
                       (uint64_t)relocation->r_addend);
    }
    value = (uint64_t)(uintptr_t)address;
  } else if (type == RELOCATION_GLOB_DAT || type == RELOCATION_JUMP_SLOT ||
             type == RELOCATION_ABSOLUTE) {
    IREE_RETURN_IF_ERROR(
        resolve_symbol(image, ELF64_R_SYM(relocation->r_info), &value));
    if (type == RELOCATION_ABSOLUTE) value += (uint64_t)relocation->r_addend;
  } else {
    return UNSUPPORTED("relocation type %" PRIu32
                       " for " IREE_CY_PROCESSOR_ARCHITECTURE,
                       type);
  }
  uint8_t* target =
      image_memory(image, relocation->r_offset, sizeof(value), PF_W);
  if (!target) {
    return MALFORMED("a relocation at 0x%" PRIx64 " is not in writable memory",
                     (uint64_t)relocation->r_offset);
  }
  memcpy(target, &value, sizeof(value));
  return iree_ok_status();
}

static iree_status_t apply_relocations(const iree_cy_elf_image_t* image,
                                       uint64_t vaddr, uint64_t size) {
  if (!size) return iree_ok_status();
  const uint8_t* data = image_table(image, vaddr, size);
  if (!data || size % sizeof(Elf64_Rela) != 0) {
    return MALFORMED("0x%" PRIx64 " bytes of relocations at 0x%" PRIx64
                     " are no table in a segment",
                     size, vaddr);
  }
  const uint64_t count = size / sizeof(Elf64_Rela);
  for (uint64_t i = 0; i < count; ++i) {
    // Copied first: it may lie in memory that relocations write to.
    Elf64_Rela relocation;
    memcpy(&relocation, data + i * sizeof(relocation), sizeof(relocation));
    IREE_RETURN_IF_ERROR(apply_relocation(image, &relocation));
  }
  return iree_ok_status();
}

//===-- protection ----------------------------------------------------------===

static iree_status_t protect(const iree_cy_elf_image_t* image, uint64_t begin,
                             uint64_t end, int protection) {
  if (begin >= end) return iree_ok_status();
  if (mprotect(image->pages + (begin - image->low_vaddr), end - begin,
               protection) != 0) {
    return errno_status("protection", end - begin);
  }
  return iree_ok_status();
}

static iree_status_t protect_relocated(const iree_cy_elf_image_t* image,
                                       const program_headers_t* headers) {
  for (uint32_t i = 0; i < headers->count; ++i) {
    const Elf64_Phdr header = program_header_at(headers, i);
    if (header.p_type != PT_GNU_RELRO || !header.p_memsz) continue;
    if (!image_memory(image, header.p_vaddr, header.p_memsz, PF_W)) {
      return MALFORMED(
          "what is to be read-only after relocation is not in a "
          "writable segment");
    }
    // What shares its last page with writable data stays writable.
    IREE_RETURN_IF_ERROR(
        protect(image, page_floor(image, header.p_vaddr),
                page_floor(image, header.p_vaddr + header.p_memsz), PROT_READ));
  }
  return iree_ok_status();
}

static iree_status_t protect_segments(const iree_cy_elf_image_t* image,
                                      const program_headers_t* headers) {
  uint64_t end_before = image->low_vaddr;
  for (uint32_t i = 0; i < image->segment_count; ++i) {
    const iree_cy_elf_segment_t* segment = &image->segments[i];
    const uint64_t begin = page_floor(image, segment->vaddr);
    const uint64_t end =
        page_ceiling(image, segment->vaddr + segment->memory_size);
    IREE_RETURN_IF_ERROR(protect(image, end_before, begin, PROT_NONE));
    end_before = end;
    if (iree_any_bit_set(segment->flags, PF_W)) continue;
    const bool is_code = iree_any_bit_set(segment->flags, PF_X);
    if (is_code) {
      __builtin___clear_cache((char*)image->pages + (begin - image->low_vaddr),
                              (char*)image->pages + (end - image->low_vaddr));
    }
    IREE_RETURN_IF_ERROR(protect(image, begin, end,
                                 is_code ? PROT_READ | PROT_EXEC : PROT_READ));
  }
  return protect_relocated(image, headers);
}

//===-- images --------------------------------------------------------------===

static iree_status_t load_image(iree_const_byte_span_t file,
                                iree_cy_elf_image_t* image) {
  program_headers_t headers;
  IREE_RETURN_IF_ERROR(read_program_headers(file, &headers));
  uint64_t alignment = 0;
  IREE_RETURN_IF_ERROR(plan_layout(image, &headers, file, &alignment));
  IREE_RETURN_IF_ERROR(map_segments(image, file, alignment));
  dynamic_info_t info;
  IREE_RETURN_IF_ERROR(read_dynamic_section(image, &headers, &info));
  IREE_RETURN_IF_ERROR(find_symbols(image, &info));
  IREE_RETURN_IF_ERROR(apply_relocations(image, info.rela, info.rela_size));
  IREE_RETURN_IF_ERROR(
      apply_relocations(image, info.plt_rela, info.plt_rela_size));
  return protect_segments(image, &headers);
}

iree_status_t iree_cy_elf_image_load(iree_const_byte_span_t file,
                                     iree_cy_elf_image_t* out_image) {
  memset(out_image, 0, sizeof(*out_image));
  out_image->page_size = (iree_host_size_t)sysconf(_SC_PAGESIZE);
  iree_status_t status = load_image(file, out_image);
  if (!iree_status_is_ok(status)) iree_cy_elf_image_unload(out_image);
  return status;
}

void iree_cy_elf_image_unload(iree_cy_elf_image_t* image) {
  if (image->reservation) munmap(image->reservation, image->reservation_size);
  memset(image, 0, sizeof(*image));
}

iree_status_t iree_cy_elf_image_lookup_function(
    const iree_cy_elf_image_t* image, iree_string_view_t name,
    void** out_address) {
  *out_address = NULL;
  for (uint64_t i = 0; i < image->symbol_count; ++i) {
    const Elf64_Sym symbol = symbol_at(image, i);
    if (symbol.st_shndx == SHN_UNDEF ||
        !iree_string_view_equal(symbol_name(image, &symbol), name)) {
      continue;
    }
    // At least one byte of code.
    uint8_t* address =
        image_memory(image, symbol.st_value,
                     iree_max((uint64_t)symbol.st_size, (uint64_t)1), PF_X);
    if (!address) {
      return MALFORMED("'%.*s' at 0x%" PRIx64 " is not in executable memory",
                       IREE_SV_ARG(name), (uint64_t)symbol.st_value);
    }
    *out_address = address;
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "ELF file: it has no function '%.*s'",
                          IREE_SV_ARG(name));
}
