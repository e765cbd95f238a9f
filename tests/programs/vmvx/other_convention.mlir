// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// A module whose function is not device code.
vm.module @other_convention {
  vm.export @main
  vm.func private @main(%x: i32) -> i32 {
    vm.return %x : i32
  }
}
