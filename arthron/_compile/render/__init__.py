"""From chunks to LLVM text for a kind of machine."""
