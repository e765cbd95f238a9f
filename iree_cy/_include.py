# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns get_include(): where the public C headers are.
"""Where the public C headers are."""

from __future__ import annotations

import os

__all__ = ["get_include"]


def get_include() -> str:
    """Return the directory to pass to a compiler as ``-I``: it holds ``iree_cy/plugin.h``.

    Raises
    ------
    FileNotFoundError
        If the headers were not installed with the package.
    """
    package = os.path.dirname(os.path.abspath(__file__))
    # An installed wheel has the headers inside the package; a checkout has them beside it.
    places = [os.path.join(package, "include"), os.path.join(os.path.dirname(package), "include")]
    for place in places:
        if os.path.isfile(os.path.join(place, "iree_cy", "base", "api.h")):
            return place
    raise FileNotFoundError(2, "the C headers of iree_cy are not here; reinstall it", places[0])
