"""Lumen gives any language model a self that lasts; start reading at lumen.kernel.loops."""

__version__ = "0.5.0"
