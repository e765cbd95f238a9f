# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Builds the example extension against the installed iree_cy: its headers, and its _core.pxd.

from Cython.Build import cythonize
from setuptools import Extension, setup

import iree_cy

extensions = [
    Extension("iree_cy_example.fill", ["iree_cy_example/fill.pyx"], include_dirs=[iree_cy.get_include()]),
]
setup(packages=["iree_cy_example"], ext_modules=cythonize(extensions, build_dir="build"))
