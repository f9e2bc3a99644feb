"""Lumen measured against plain alternatives, in one run on one machine: ratios, not promises."""
