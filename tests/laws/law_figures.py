"""Figures and states that laws are tried on."""

import dataclasses

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import arthron as ar

KINDS = ("revolute", "prismatic", "planar", "spherical", "free")


def puppet():
    """A figure with every kind of joint, masses off their axes, fixed parts and armature."""
    off = ar.pose((0.3, -0.1, 0.2), (0.4, -0.3, 1.1))
    return ar.Model(
        [
            ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Box((1, 0.5, 0.2), mass=3)], armature=1),
            ar.Body("disc", ar.Planar("y"), parent="cart", placement=(0, 0, 0.2),
                    shapes=[ar.Cylinder(0.3, 0.1, mass=2, placement=off)]),
            ar.Body("post", ar.Fixed(), parent="disc", placement=ar.pose((0, 0.1, 1), (0, 1, 0)),
                    shapes=[ar.Capsule(0.05, 1.0, mass=0.5)]),
            ar.Body("arm", ar.Revolute("z"), parent="post", placement=off, armature=0.2,
                    shapes=[ar.Box((0.1, 0.2, 0.9), mass=1.5, placement=(0.2, 0.3, 0.4))]),
            ar.Body("ball", ar.Spherical(), parent="arm", placement=(0, 0, 0.5),
                    shapes=[ar.Ellipsoid((0.1, 0.2, 0.3), mass=1, placement=off)],
                    armature=(0.01, 0.02, 0.03)),
            ar.Body("leg", ar.Revolute((1, 2, -2)), parent="post", placement=(0, 0.4, 0),
                    shapes=[ar.Capsule(0.1, 0.6, mass=1, placement=(0, 0.1, -0.4))]),
            ar.Body("skate", ar.Planar((1, -1, 3)), parent="leg",
                    shapes=[ar.Box((0.4, 0.1, 0.1), mass=0.7, placement=off)]),
            ar.Body("bird", ar.Free(), parent="arm", placement=off,
                    shapes=[ar.Sphere(0.1, mass=0.4, placement=(0.1, 0, 0))]),
        ],
        name="puppet",
    )  # fmt: skip


PUPPET = puppet()


@st.composite
def figures(draw, most=6):
    """Random trees: chains and bushes, one kind of joint or all, with or without armature."""
    model = ar.random_tree(
        draw(st.integers(1, most), label="nb"),
        draw(st.sampled_from([1.0, 1.5, 2.0, 3.0]), label="branching"),
        draw(st.sampled_from([0.0, 0.3, 1.0, 3.0]), label="skew"),
        draw(st.sampled_from([0.7, 0.95, 1.0]), label="taper"),
        joints=draw(st.sampled_from([*((k,) for k in KINDS), KINDS, KINDS]), label="joints"),
        rng=draw(st.integers(0, 2**16), label="seed"),
    )
    return with_armature(model) if draw(st.booleans(), label="armature") else model


def rebuilt(model, change, **options):
    """The figure with every body changed: `change(body)` gives what to replace in it."""
    bodies = [dataclasses.replace(body, **change(body)) for body in model.links]
    made = ar.Model(bodies, **{"gravity": model.gravity, "name": model.name} | options)
    return followed_likewise(made, model)


def followed_likewise(made, model):
    """A figure whose joints follow coordinates as those of another do, if they do."""
    return made._with(reduction=model.figure.description.reduction)


def with_armature(model, scale=0.1):
    """The figure with armature on every joint."""
    return rebuilt(model, lambda body: {"armature": scale * np.arange(1, body.joint.nv + 1)})


def floating(model):
    """The figure with its first body free, and nothing to hold it back."""
    first, *others = model.links
    root = ar.Body(first.name, ar.Free(), placement=first.placement, inertia=first.inertia)
    return ar.Model([root, *others], gravity=model.gravity)


def for_figures(count=15, most=6):
    """Try a law on the puppet and on `count` random figures; always the same ones."""
    return lambda law: settings(derandomize=True, deadline=None, max_examples=count, database=None)(
        given(model=figures(most))(example(model=PUPPET)(law))
    )


def state(model, seed=0, count=2, speed=1.0):
    """(q, qd, qdd, tau, f_ext), `count` random ones and two about the neutral pose."""
    rng = np.random.default_rng(seed)
    neutral = model.neutral()
    near = ar.evaluate(ar.algorithms.integrate, model, neutral, 1e-7 * rng.normal(size=model.nv))
    q = np.stack([*(model.random(rng) for _ in range(count)), neutral, near])
    qd, qdd, tau = speed * rng.normal(size=(3, len(q), model.nv))
    return q, qd, qdd, tau, rng.normal(size=(len(q), model.nb, 6))


def assert_close(a, b, tolerance, scale=0.0):
    """Differences are small beside the largest number, or `scale` where that is larger."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    size = max(np.abs(b).max(initial=0.0), np.abs(scale).max(), 1e-300)
    error = np.abs(a - b).max(initial=0.0) / size
    assert error <= tolerance, f"relative error {error:.2e} of numbers up to {size:.3g}"


def rate(page, model, q, qd, qdd=None):
    """Derivative of a page of q, or of q and qd, by time, from the graph."""
    takes_qd = qdd is not None
    given = (q, qd) if takes_qd else (q,)
    total = _times(ar.evaluate(ar.jacobian(page, "q"), model, *given), qd)
    if takes_qd:
        total = total + _times(ar.evaluate(ar.jacobian(page, "qd"), model, *given), qdd)
    return total


def _times(J, x):
    """J x over the last axis, for batches of both."""
    x = x.reshape(len(x), *[1] * (J.ndim - x.ndim), x.shape[-1])
    return (J * x).sum(-1)


def moved(model, q, qd, qdd, h):
    """The state a short time h later, to third order."""
    step = h * qd + 0.5 * h * h * qdd
    return ar.evaluate(ar.algorithms.integrate, model, q, step), qd + h * qdd


def difference_in_time(function, model, q, qd, qdd, h=1e-4):
    """Derivative of function(q, qd) by time, by central differences."""
    later, sooner = (function(*moved(model, q, qd, qdd, k)) for k in (h, -h))
    return (later - sooner) / (2 * h)
