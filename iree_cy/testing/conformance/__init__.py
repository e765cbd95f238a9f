# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the package of the conformance suite: one test_<area>.py for each area of the contract.
"""The contract of a driver, as cases: ``pytest --pyargs iree_cy.testing.conformance --driver=NAME``."""
