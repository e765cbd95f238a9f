// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the grammar: the table of instructions and the walk over one.

#include "spirv_grammar.h"

// Operands, a letter each:
//   T  type of the result    R  result
//   I  id    i  id or none    *  ids to the end
//   W  word    w  word or none    .  words to the end
//   S  string    s  string or none
//   M  memory operands or none: a mask and what it asks for
//   X  pairs of a literal of the selector's width and an id
typedef struct spirv_instruction_t {
  uint16_t opcode;
  char operands[10];
} spirv_instruction_t;

// In order of opcodes. From the machine-readable grammar of the specification,
// version 1.6: what needs no capability or one that vulkan_spirv_capabilities
// has, without groups of decorations.
static const spirv_instruction_t spirv_instructions[] = {
    {0, ""},          {1, "TR"},        {2, "S"},          {3, "WWis"},
    {4, "S"},         {5, "IS"},        {6, "IWS"},        {7, "RS"},
    {8, "IWW"},       {10, "S"},        {11, "RS"},        {12, "TRIW*"},
    {14, "WW"},       {15, "WIS*"},     {16, "IW."},       {17, "W"},
    {19, "R"},        {20, "R"},        {21, "RWW"},       {22, "RWw"},
    {23, "RIW"},      {24, "RIW"},      {25, "RIWWWWWWw"}, {26, "R"},
    {27, "RI"},       {28, "RII"},      {29, "RI"},        {30, "R*"},
    {32, "RWI"},      {33, "RI*"},      {39, "IW"},        {41, "TR"},
    {42, "TR"},       {43, "TR."},      {44, "TR*"},       {46, "TR"},
    {48, "TR"},       {49, "TR"},       {50, "TR."},       {51, "TR*"},
    {52, "TRW."},     {54, "TRWI"},     {55, "TR"},        {56, ""},
    {57, "TRI*"},     {59, "TRWi"},     {60, "TRIII"},     {61, "TRIM"},
    {62, "IIM"},      {63, "IIMM"},     {65, "TRI*"},      {66, "TRI*"},
    {67, "TRII*"},    {68, "TRIW"},     {71, "IW."},       {72, "IWW."},
    {77, "TRII"},     {78, "TRIII"},    {79, "TRII."},     {80, "TR*"},
    {81, "TRI."},     {82, "TRII."},    {83, "TRI"},       {84, "TRI"},
    {86, "TRII"},     {87, "TRIIw*"},   {88, "TRIIW*"},    {89, "TRIIIw*"},
    {90, "TRIIIW*"},  {91, "TRIIw*"},   {92, "TRIIW*"},    {93, "TRIIIw*"},
    {94, "TRIIIW*"},  {95, "TRIIw*"},   {96, "TRIIIw*"},   {97, "TRIIIw*"},
    {98, "TRIIw*"},   {99, "IIIw*"},    {100, "TRI"},      {103, "TRII"},
    {104, "TRI"},     {105, "TRII"},    {106, "TRI"},      {107, "TRI"},
    {109, "TRI"},     {110, "TRI"},     {111, "TRI"},      {112, "TRI"},
    {113, "TRI"},     {114, "TRI"},     {115, "TRI"},      {116, "TRI"},
    {117, "TRI"},     {120, "TRI"},     {124, "TRI"},      {126, "TRI"},
    {127, "TRI"},     {128, "TRII"},    {129, "TRII"},     {130, "TRII"},
    {131, "TRII"},    {132, "TRII"},    {133, "TRII"},     {134, "TRII"},
    {135, "TRII"},    {136, "TRII"},    {137, "TRII"},     {138, "TRII"},
    {139, "TRII"},    {140, "TRII"},    {141, "TRII"},     {142, "TRII"},
    {143, "TRII"},    {144, "TRII"},    {145, "TRII"},     {146, "TRII"},
    {147, "TRII"},    {148, "TRII"},    {149, "TRII"},     {150, "TRII"},
    {151, "TRII"},    {152, "TRII"},    {154, "TRI"},      {155, "TRI"},
    {156, "TRI"},     {157, "TRI"},     {164, "TRII"},     {165, "TRII"},
    {166, "TRII"},    {167, "TRII"},    {168, "TRI"},      {169, "TRIII"},
    {170, "TRII"},    {171, "TRII"},    {172, "TRII"},     {173, "TRII"},
    {174, "TRII"},    {175, "TRII"},    {176, "TRII"},     {177, "TRII"},
    {178, "TRII"},    {179, "TRII"},    {180, "TRII"},     {181, "TRII"},
    {182, "TRII"},    {183, "TRII"},    {184, "TRII"},     {185, "TRII"},
    {186, "TRII"},    {187, "TRII"},    {188, "TRII"},     {189, "TRII"},
    {190, "TRII"},    {191, "TRII"},    {194, "TRII"},     {195, "TRII"},
    {196, "TRII"},    {197, "TRII"},    {198, "TRII"},     {199, "TRII"},
    {200, "TRI"},     {201, "TRIIII"},  {202, "TRIII"},    {203, "TRIII"},
    {204, "TRI"},     {205, "TRI"},     {207, "TRI"},      {208, "TRI"},
    {209, "TRI"},     {224, "III"},     {225, "II"},       {227, "TRIII"},
    {228, "IIII"},    {229, "TRIIII"},  {230, "TRIIIIII"}, {232, "TRIII"},
    {233, "TRIII"},   {234, "TRIIII"},  {235, "TRIIII"},   {236, "TRIIII"},
    {237, "TRIIII"},  {238, "TRIIII"},  {239, "TRIIII"},   {240, "TRIIII"},
    {241, "TRIIII"},  {242, "TRIIII"},  {245, "TR*"},      {246, "IIW."},
    {247, "IW"},      {248, "R"},       {249, "I"},        {250, "III."},
    {251, "IIX"},     {252, ""},        {253, ""},         {254, "I"},
    {255, ""},        {317, ""},        {330, "S"},        {331, "IW*"},
    {332, "IW*"},     {333, "TRI"},     {334, "TRII"},     {335, "TRII"},
    {336, "TRII"},    {337, "TRIII"},   {338, "TRII"},     {339, "TRII"},
    {340, "TRII"},    {341, "TRIII"},   {342, "TRIWI"},    {343, "TRII"},
    {344, "TRII"},    {345, "TRIII"},   {346, "TRIII"},    {347, "TRIII"},
    {348, "TRIII"},   {349, "TRIWIi"},  {350, "TRIWIi"},   {351, "TRIWIi"},
    {352, "TRIWIi"},  {353, "TRIWIi"},  {354, "TRIWIi"},   {355, "TRIWIi"},
    {356, "TRIWIi"},  {357, "TRIWIi"},  {358, "TRIWIi"},   {359, "TRIWIi"},
    {360, "TRIWIi"},  {361, "TRIWIi"},  {362, "TRIWIi"},   {363, "TRIWIi"},
    {364, "TRIWIi"},  {365, "TRIII"},   {366, "TRIII"},    {400, "TRI"},
    {401, "TRII"},    {402, "TRII"},    {403, "TRII"},     {4416, ""},
    {4421, "TRI"},    {4422, "TRI"},    {4428, "TRI"},     {4429, "TRI"},
    {4430, "TRI"},    {4431, "TRIIIi"}, {4432, "TRII"},    {4433, "TRIW*"},
    {4450, "TRIIw"},  {4451, "TRIIw"},  {4452, "TRIIw"},   {4453, "TRIIIw"},
    {4454, "TRIIIw"}, {4455, "TRIIIw"}, {4456, "RIIIII"},  {4457, "TRIIiM"},
    {4458, "IIIiM"},  {4459, "TRIIIw"}, {4460, "TRI"},     {5380, ""},
    {5381, "TR"},     {5614, "TRIIII"}, {5615, "TRIIII"},  {5630, "I"},
    {5631, "TRII"},   {5632, "IW."},    {5633, "IWW."},    {6035, "TRIIII"}};

const char* spirv_operands(uint16_t opcode) {
  size_t low = 0;
  size_t high = IREE_ARRAYSIZE(spirv_instructions);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (spirv_instructions[middle].opcode == opcode) {
      return spirv_instructions[middle].operands;
    }
    if (spirv_instructions[middle].opcode < opcode) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

spirv_section_t spirv_section(uint16_t opcode) {
  switch (opcode) {
    case 0:    // OpNop
    case 8:    // OpLine
    case 317:  // OpNoLine
      return SPIRV_SECTION_ANY;
    case SPIRV_OP_CAPABILITY:
      return SPIRV_SECTION_CAPABILITIES;
    case SPIRV_OP_EXTENSION:
      return SPIRV_SECTION_EXTENSIONS;
    case SPIRV_OP_EXT_INST_IMPORT:
      return SPIRV_SECTION_IMPORTS;
    case SPIRV_OP_MEMORY_MODEL:
      return SPIRV_SECTION_MEMORY_MODEL;
    case SPIRV_OP_ENTRY_POINT:
      return SPIRV_SECTION_ENTRY_POINTS;
    case SPIRV_OP_EXECUTION_MODE:
    case SPIRV_OP_EXECUTION_MODE_ID:
      return SPIRV_SECTION_EXECUTION_MODES;
    case 2:  // OpSourceContinued
    case 3:  // OpSource
    case 4:  // OpSourceExtension
    case 7:  // OpString
      return SPIRV_SECTION_SOURCES;
    case 5:  // OpName
    case 6:  // OpMemberName
      return SPIRV_SECTION_NAMES;
    case 330:  // OpModuleProcessed
      return SPIRV_SECTION_PROCESSES;
    case SPIRV_OP_DECORATE:
    case SPIRV_OP_MEMBER_DECORATE:
    case 332:   // OpDecorateId
    case 5632:  // OpDecorateString
    case 5633:  // OpMemberDecorateString
      return SPIRV_SECTION_ANNOTATIONS;
    case SPIRV_OP_TYPE_COOPERATIVE_MATRIX:
      return SPIRV_SECTION_GLOBALS;
    case 1:  // OpUndef
    case SPIRV_OP_EXT_INST:
    case SPIRV_OP_EXT_INST_WITH_FORWARD_REFS:
    case SPIRV_OP_VARIABLE:
      return SPIRV_SECTION_EITHER;
    default:
      return opcode >= SPIRV_OP_TYPE_VOID && opcode < SPIRV_OP_FUNCTION
                 ? SPIRV_SECTION_GLOBALS
                 : SPIRV_SECTION_FUNCTIONS;
  }
}

// Steps over the words of a text; false when it has no end.
static bool spirv_skip_string(spirv_operand_iterator_t* iterator) {
  while (iterator->next < iterator->word_count) {
    const uint32_t word = iterator->words[iterator->next++];
    // Whether one of the four bytes is 0.
    if ((word - 0x01010101u) & ~word & 0x80808080u) return true;
  }
  return false;
}

// What the mask of memory operands asks for next.
static spirv_operand_kind_t spirv_next_memory_operand(
    spirv_operand_iterator_t* iterator) {
  const uint32_t aligned = 0x2;
  if (iterator->memory_mask & aligned) {
    iterator->memory_mask &= ~aligned;
    return SPIRV_OPERAND_LITERAL;
  }
  // The scopes of MakePointerAvailable and MakePointerVisible.
  iterator->memory_mask &= iterator->memory_mask - 1;
  return SPIRV_OPERAND_ID;
}

// Whether nothing more has to come.
static bool spirv_may_end(const spirv_operand_iterator_t* iterator) {
  if (iterator->memory_mask || iterator->literal_left) return false;
  for (const char* c = iterator->operands; *c; ++c) {
    if (!strchr("iws*.MX", *c)) return false;
  }
  return true;
}

static spirv_operand_kind_t spirv_next_case_word(
    spirv_operand_iterator_t* iterator) {
  // The words of a literal, then 1 for the id.
  if (iterator->literal_left == 0) {
    iterator->literal_left = iterator->literal_words + 1;
  }
  return --iterator->literal_left == 0 ? SPIRV_OPERAND_ID
                                       : SPIRV_OPERAND_LITERAL;
}

spirv_operand_kind_t spirv_next_operand(spirv_operand_iterator_t* iterator,
                                        uint32_t* out_word) {
  *out_word = iterator->next;
  if (iterator->next >= iterator->word_count) {
    return spirv_may_end(iterator) ? SPIRV_OPERAND_END : SPIRV_OPERAND_BAD;
  }
  if (iterator->memory_mask) {
    ++iterator->next;
    return spirv_next_memory_operand(iterator);
  }
  const char operand = *iterator->operands;
  if (operand == '\0') return SPIRV_OPERAND_BAD;
  if (!strchr("*.X", operand)) ++iterator->operands;
  if (operand == 'S' || operand == 's') {
    return spirv_skip_string(iterator) ? SPIRV_OPERAND_LITERAL
                                       : SPIRV_OPERAND_BAD;
  }
  const uint32_t word = iterator->words[iterator->next++];
  switch (operand) {
    case 'T':
      return SPIRV_OPERAND_TYPE;
    case 'R':
      return SPIRV_OPERAND_RESULT;
    case 'I':
    case 'i':
    case '*':
      return SPIRV_OPERAND_ID;
    case 'M':
      if (word & ~0x3Fu) return SPIRV_OPERAND_BAD;
      iterator->memory_mask = word & 0x1Au;
      return SPIRV_OPERAND_LITERAL;
    case 'X':
      return spirv_next_case_word(iterator);
    default:
      return SPIRV_OPERAND_LITERAL;
  }
}

iree_string_view_t spirv_string(const uint32_t* words, uint32_t word_count) {
  const char* text = (const char*)words;
  const size_t capacity = (size_t)word_count * sizeof(*words);
  const size_t length = strnlen(text, capacity);
  return length == capacity ? iree_string_view_empty()
                            : iree_make_string_view(text, length);
}
