"""Every page and every method of the model: compiled code against the interpreter."""

import functools
import inspect

import numpy as np
import pytest
from compile_cases import BATCHES, DTYPES, EMPTY, FIGURES, assert_close, random_inputs

import arthron as ar
from arthron._pages.inputs import page_inputs


def is_complete(page):
    """Whether a page needs no more than arrays: no frame, no list of joints."""
    parameters = inspect.signature(page).parameters.values()
    return all(p.kind is not p.KEYWORD_ONLY for p in parameters)


PAGES = {
    name: page
    for name, page in vars(ar.algorithms).items()
    if inspect.isfunction(page) and is_complete(page)
}
METHODS = {
    name: inspect.getattr_static(ar.Model, name).page
    for name in dir(ar.Model)
    if hasattr(inspect.getattr_static(ar.Model, name), "page")
}
SHAPES = [*BATCHES, *EMPTY]


def more_shapes(page, model):
    """Shapes of inputs that may have any number of rows: three."""
    return {"x": (3, model.nv)} if page is ar.algorithms.inverse_mass_products else {}


def inputs(page, model, batch, dtype=np.float64):
    """Random arrays for all that a page takes."""
    shapes = page_inputs(page, model.tree, more_shapes(page, model))
    return random_inputs(model, shapes, batch, dtype)


@functools.cache
def compiled(page, figure):
    model = FIGURES[figure]
    return ar.compile(page, model, shapes=more_shapes(page, model))


@functools.lru_cache(maxsize=2)
def interpreted(page, figure, rows, dtype):
    """Results for so many rows: those of all batches, which begin with the same states."""
    model = FIGURES[figure]
    given = {n: x.astype(float) for n, x in inputs(page, model, (rows,), dtype).items()}
    return ar.evaluate(page, model, **given, shapes=more_shapes(page, model))


def check(function, page, figure, batch, dtype, rows=1000):
    model = FIGURES[figure]
    got = function(**inputs(page, model, batch, dtype))
    expected = interpreted(page, figure, rows, dtype)
    assert type(got) is type(expected)
    if isinstance(got, dict):
        assert list(got) == list(expected)
        got, expected = tuple(got.values()), tuple(expected.values())
    pairs = [(got, expected)] if isinstance(got, np.ndarray) else zip(got, expected, strict=True)
    for one, all_rows in pairs:
        true = all_rows[: int(np.prod(batch))].reshape((*batch, *all_rows.shape[1:]))
        assert one.dtype == dtype
        assert_close(one, true, true.ndim - len(batch))


@pytest.mark.parametrize("batch", SHAPES, ids=str)
def test_the_interpreter_takes_every_batch_shape(batch):
    figure, page = "ball and plane", ar.algorithms.aba
    model = FIGURES[figure]
    given = inputs(page, model, batch)
    expected = interpreted(page, figure, 1000, np.float64)[: int(np.prod(batch))]
    found = ar.evaluate(page, model, **given)
    np.testing.assert_allclose(found, expected.reshape(*batch, model.nv), rtol=1e-13, atol=1e-13)


def test_the_lists_are_not_empty():
    assert len(PAGES) >= 60
    assert len(METHODS) >= 44


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PAGES)
def test_page_on_every_batch_shape(name, dtype):
    figure = "ball and plane"
    for batch in SHAPES:
        check(compiled(PAGES[name], figure), PAGES[name], figure, batch, dtype)


@pytest.mark.parametrize("figure", ["chain", "one free body"])
@pytest.mark.parametrize("name", PAGES)
def test_page_on_other_figures(name, figure):
    for batch in [(), (9,)]:
        check(compiled(PAGES[name], figure), PAGES[name], figure, batch, np.float64, rows=9)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", METHODS)
def test_method_on_every_batch_shape(name, dtype):
    figure = "tree of all joints"
    for batch in SHAPES:
        check(getattr(FIGURES[figure], name), METHODS[name], figure, batch, dtype)


@pytest.mark.parametrize("axes", ["local", "world_aligned", "world"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_frames_and_points(axes, dtype):
    model = FIGURES["tree of all joints"]
    point = np.array([0.1, -0.2, 0.3], dtype)
    body = model.body_names[3]
    for batch in SHAPES:
        q = random_inputs(model, {"q": (model.nq,)}, batch, dtype)["q"]
        pose = model.frame_pose(q, body)
        assert_close(pose, model.body_poses(q)[..., 3, :, :], 2)
        J = model.jacobian(q, body, point, axes=axes)
        R = pose[..., :3, :3].astype(float)
        local = model.body_jacobians(q)[..., 3, :, :].astype(float)
        r = point.astype(float)
        if axes == "world":  # the point does not matter: the twist is taken at the world's origin
            r = -np.einsum("...ji,...j->...i", R, pose[..., :3, 3])
        ang, lin = local[..., :3, :], local[..., 3:, :]
        lin = lin + np.cross(ang, np.broadcast_to(r[..., None], ang.shape), axis=-2)
        expected = np.concatenate([ang, lin], axis=-2)
        if axes != "local":
            turn = np.zeros((*batch, 6, 6))
            turn[..., :3, :3] = turn[..., 3:, 3:] = R
            expected = turn @ expected
        assert_close(J, expected, 2)


DERIVATIVES = [("q", "ball and plane", np.float64), ("q", "chain", np.float32),
               ("qd", "chain", np.float64), ("tau", "one free body", np.float64),
               ("f_ext", "one free body", np.float64)]  # fmt: skip


@pytest.mark.parametrize(("wrt", "figure", "dtype"), DERIVATIVES)
def test_derivatives_of_a_page(wrt, figure, dtype):
    page = ar.jacobian(ar.algorithms.aba, wrt)
    for batch in [(), (9,)]:
        check(compiled(page, figure), page, figure, batch, dtype, rows=9)


@pytest.mark.parametrize("name", METHODS)
def test_op_counts_and_text_can_be_asked_for(name):
    function = getattr(FIGURES["tree of all joints"], name)
    assert function.op_count > 0 or name == "unreduced_coordinates"  # no joint follows others there
    assert "define i64 @run(" in function.ir
    assert len(function.graph) >= function.op_count
    assert function.__doc__ == inspect.getattr_static(ar.Model, name).__doc__
