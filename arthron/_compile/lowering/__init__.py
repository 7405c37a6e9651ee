"""From a graph to chunks of operations, and where their values live."""
