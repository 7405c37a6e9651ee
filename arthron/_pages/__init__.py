"""The page protocol: arrays to arguments, results to arrays; compile, evaluate, differentiate."""
