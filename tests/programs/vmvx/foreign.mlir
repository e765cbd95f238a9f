// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Device code that imports a kernel which does not exist.
vm.module @foreign {
  vm.import private @vmvx.frobnicate(%b : !vm.buffer)
  vm.export @main
  vm.func private @main(%local: !vm.buffer, %constants: !vm.buffer,
                        %bindings: !vm.list<!vm.buffer>, %x: i32, %y: i32,
                        %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
                        %count_x: i32, %count_y: i32, %count_z: i32) {
    vm.call @vmvx.frobnicate(%local) : (!vm.buffer) -> ()
    vm.return
  }
}
