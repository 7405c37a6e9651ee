"""From text to native code: compile, load, call."""
