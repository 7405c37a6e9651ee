"""Motion capture: files of skeletons and their motion, as figures with mass that move."""
