"""What is wrong about constraints, limits and maps is said, and what to do about it."""

import functools
import math

import pytest
from test_assembly import bar

import arthron as ar


@functools.cache
def arm():
    return ar.Model([bar("arm", None, (0, 0, 0), 0.5), bar("hand", "arm", (0.5, 0, 0), 0.5)])


@pytest.mark.parametrize(("make", "words"), [
    (lambda: ar.Scene(arm(), [ar.JointLimits("arm", "low", 0.1)]), "`lower` .* is .*'low'.* -inf"),
    (lambda: ar.Scene(arm(), [ar.JointLimits("arm", math.nan, 0.1)]), "is .nan,.. Give numbers"),
    (lambda: ar.JointLimits(3, 0.0, 0.1), "JointLimits are of 3. Give names"),
    (lambda: ar.Scene(arm(), limits=[1, 2]), r"`limits` of a scene is \[1, 2\]. Give True"),
    (lambda: ar.Scene(arm(), limits=None), "`limits` of a scene is None"),
    (lambda: arm().reduced(lambda y: {"arm": y[1]}), r"is 1. Give `size=2`"),
])  # fmt: skip
def test_raw_errors_are_sentences(make, words):
    with pytest.raises(ar.ModelError, match=words):
        make()
