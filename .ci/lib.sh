# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Holds what the scripts here share: headings with times, and the look for Pythons.

FAILED_STAGES=()

# stage NAME COMMAND...: runs the command under a heading and notes whether it failed.
stage() {
  local name=$1 started=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  if "$@"; then
    printf -- '--- %s: ok in %d s\n' "$name" $((SECONDS - started))
  else
    printf -- '--- %s: FAILED after %d s\n' "$name" $((SECONDS - started))
    FAILED_STAGES+=("$name")
    return 1
  fi
}

# usable_python COMMAND FREE: whether it is a supported CPython that can make a virtual environment and build
# extensions, and has no GIL (FREE is 1) or has one (0).
usable_python() {
  "$1" -c '
import os, sys, sysconfig
import ensurepip, venv
supported = (3, 10) <= sys.version_info[:2] <= (3, 14) and sys.implementation.name == "cpython"
header = os.path.join(sysconfig.get_path("include"), "Python.h")
is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
sys.exit(not (supported and os.path.isfile(header) and is_free == bool(int(sys.argv[1]))))
' "$2" >/dev/null 2>&1
}

# supported_pythons: prints one path per supported minor version, oldest first.
supported_pythons() {
  local minor candidate
  for minor in 10 11 12 13 14; do
    for candidate in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*/bin/python3 "$(command -v "python3.$minor" || true)" \
      "$(command -v python3 || true)"; do
      if [ -n "$candidate" ] && [ -x "$candidate" ] && usable_python "$candidate" 0 &&
        [ "$("$candidate" -c 'import sys; print(sys.version_info[1])')" = "$minor" ]; then
        "$candidate" -c 'import sys; print(sys.executable)'
        break
      fi
    done
  done
}

# free_threaded_python: prints the path of the newest CPython without a GIL, or nothing.
free_threaded_python() {
  local minor candidate
  for minor in 14 13; do
    for candidate in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*t/bin/python3 "$(command -v "python3.${minor}t" || true)"; do
      if [ -n "$candidate" ] && [ -x "$candidate" ] && usable_python "$candidate" 1; then
        "$candidate" -c 'import sys; print(sys.executable)'
        return
      fi
    done
  done
}
