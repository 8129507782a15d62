# SPDX-License-Identifier: MIT
"""The figures and tables of the papers that LiveTCP rests on, measured again."""
