// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Includes all of vm/.

#ifndef IREE_CY_VM_API_H_
#define IREE_CY_VM_API_H_

#include "iree_cy/vm/buffer.h"
#include "iree_cy/vm/bytecode_module.h"
#include "iree_cy/vm/context.h"
#include "iree_cy/vm/instance.h"
#include "iree_cy/vm/invocation.h"
#include "iree_cy/vm/list.h"
#include "iree_cy/vm/module.h"
#include "iree_cy/vm/native_module.h"
#include "iree_cy/vm/ref.h"
#include "iree_cy/vm/stack.h"
#include "iree_cy/vm/type_def.h"
#include "iree_cy/vm/value.h"
#include "iree_cy/vm/variant.h"

#endif  // IREE_CY_VM_API_H_
