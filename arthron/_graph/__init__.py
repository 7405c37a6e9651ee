"""Expressions and the graph of a program: simplification, derivatives, loops, the interpreter."""
