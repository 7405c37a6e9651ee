"""From a graph to native code: chunks, LLVM text, object code, its cache, the call."""
