"""Nonlinear programs: a sparse interior-point method with exact second derivatives."""
