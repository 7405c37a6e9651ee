"""Contact as S19 has it: quadratic programs one can read, stepped in Python, for comparison."""
