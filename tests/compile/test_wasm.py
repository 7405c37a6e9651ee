"""Exported pages in Node: their numbers are those of the interpreter; and what a module is."""

import functools
import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import test_elementary
import test_sincos
from compile_cases import FIGURES, assert_close
from loop_programs import random_page
from test_native_ops import MODEL as THREE
from test_native_ops import all_ops
from test_native_ops import inputs as edge_inputs
from test_native_pages import PAGES, inputs, more_shapes
from wasm_cases import Cases, node

import arthron as ar
from arthron._compile.run.wasm import FEATURES
from arthron._compile.run.wasm_link import link
from arthron._spatial.array import array, solved

sys.path.append(str(Path(__file__).parents[1] / "laws"))
import every_joint

TOLERANCE = 1e-13
FLAT = FIGURES["ball and plane"]
TREE = FIGURES["tree of all joints"]


def export(page, model, given, shapes=None):
    """A page with all of the given inputs, those that may be left out, too."""
    able = ar.compile(page, model, shapes=shapes).arguments.optional
    return ar.export(page, model, shapes=shapes, optional=[n for n in given if n in able])


def as_dict(exported, results):
    """What a page returned, by the names of results."""
    listed = results.values() if isinstance(results, dict) else results
    return dict(zip(exported.results, listed if len(exported.results) > 1 else [results],
                    strict=True))  # fmt: skip


def compare(cases, expected, tolerance=TOLERANCE):
    """Results of all cases are as expected, relative to the largest entry of each row."""
    found = cases.results()
    assert found.keys() == expected.keys()
    for name, results in expected.items():
        for result, x in results.items():
            got = found[name][result]
            assert_close(got, x, np.ndim(x) - 1, tolerance)


def test_equations(tmp_path):
    """One operation that is a function in loops, without vectors here."""
    n, rng = 11, np.random.default_rng(3)
    A, b = rng.normal(size=(4, n, n)) + 2.0 * n * np.eye(n), rng.normal(size=(4, n))

    @ar.takes(A=(n, n), b=(n,))
    def page(tree, A, b):
        return list(solved(array([x for row in A for x in row]), array(list(b))))

    cases = Cases(tmp_path)
    cases.add("equations", export(page, FLAT, {}), {"A": A, "b": b})
    (found,) = cases.results()["equations"].values()
    assert_close(found, np.linalg.solve(A, b[..., None])[..., 0], 1, TOLERANCE)


def test_every_page(tmp_path):
    cases, expected = Cases(tmp_path), {}
    for name, page in PAGES.items():
        rows, shapes = inputs(page, FLAT, (3,)), more_shapes(page, FLAT)
        exported = export(page, FLAT, rows, shapes)
        results = ar.evaluate(page, FLAT, **rows, shapes=shapes)
        cases.add(name, exported, rows)
        expected[name] = as_dict(exported, results)
    assert len(expected) >= 60
    compare(cases, expected)


def test_every_kind_of_joint(tmp_path):
    cases, expected = Cases(tmp_path), {}
    for name, model in every_joint.FIGURES.items():
        for page in (ar.algorithms.forward_dynamics, ar.algorithms.integrate):
            rows = every_joint.inputs_of(page, name)
            exported = export(page, model, rows)
            cases.add((name, page), exported, rows)
            expected[name, page] = as_dict(exported, every_joint.value(page, name))
    compare(cases, expected)


def test_every_operation(tmp_path):
    """On numbers of all sizes, infinities and NaN: what is not finite is the same."""
    rows, cases = edge_inputs((1000,), np.float64), Cases(tmp_path)
    cases.add("ops", ar.export(all_ops, THREE), {"q": rows})
    expected = ar.compile(all_ops, THREE)(rows)
    for name, found in cases.results()["ops"].items():
        np.testing.assert_allclose(found, expected[name], rtol=2e-13, err_msg=name)


def test_loops_and_arrays(tmp_path):
    """Random programs over numbers that never round: equal to the last bit."""
    cases, expected, rng = Cases(tmp_path), {}, np.random.default_rng(5)
    q = rng.integers(-32, 33, size=(20, TREE.nq)) * 0.25
    for k in range(12):
        page = random_page(rng)
        exported = ar.export(page, TREE)
        cases.add(k, exported, {"q": q})
        expected[k] = as_dict(exported, ar.evaluate(page, TREE, q))
    compare(cases, expected, 0.0)


def test_many_zeros(tmp_path):
    """Cleared and copied without a library."""

    def page(tree, q):
        x = ar.array([*tree.vector(q)] * 50).set(q[1][0], 7.0)
        y = x.set(q[2][0], 5.0)
        return [0.0] * 500, x[3.0], y[4.0], list(x), list(y)

    cases, rows = Cases(tmp_path), np.array([[1.0, 2.0, 3.0], [7.0, 4.0, 5.0]])
    exported = ar.export(page, THREE)
    cases.add("page", exported, {"q": rows})
    compare(cases, {"page": as_dict(exported, ar.evaluate(page, THREE, rows))}, 0.0)


def test_own_functions_without_fused_instructions(tmp_path):
    """Within the bounds of native code, with its edges."""
    cases, rows = Cases(tmp_path), {}
    for name in test_elementary.SAMPLES:
        exported = ar.export(test_elementary.page_of(name), THREE)
        for case, x in test_elementary.samples(name, np.float64, 150).items():
            rows[name, case] = x
            cases.add((name, case), exported, {"x": x})
        edges = np.array(test_elementary.EDGES.get(name, [(1.0, 0.0, 1.0)]))
        cases.add((name, "edges"), exported, {"x": edges[:, :-1]})
        rows[name, "edges"] = edges
    found = {key: results["result"] for key, results in cases.results().items()}
    for (name, case), x in rows.items():
        if case == "edges":
            np.testing.assert_array_equal(found[name, case], x[:, -1])
            zero = x[:, -1] == 0.0
            assert_array = np.testing.assert_array_equal
            assert_array(np.signbit(found[name, case][zero]), np.signbit(x[zero, -1]))
        else:
            true = test_elementary.true_values(name, x)
            assert test_elementary.worst_ulp(found[name, case], true) <= test_elementary.LIMIT[name]


def test_sine_and_cosine_without_fused_instructions(tmp_path):
    rng, cases = np.random.default_rng(1), Cases(tmp_path)
    borders = test_sincos.neighbours(np.array([2.0**20, -(2.0**20), 2.0**30]))
    rows = test_sincos.samples(np.float64) | {
        "huge": np.exp(rng.uniform(math.log(1e6), math.log(1e300), 200)),
        "nearest to a multiple of pi/2": np.array([6381956970095103.0 * 2.0**797]),
        "where another way of reducing takes over": borders,
    }
    exported = ar.export(test_sincos.sine_cosine, ar.random_tree(1))
    for case, x in rows.items():
        cases.add(case, exported, {"q": x[:, None]})
    tiny = np.finfo(float).smallest_subnormal
    edges = np.array([np.nan, np.inf, -np.inf, 0.0, tiny, -tiny, 1e-30])
    cases.add("edges", exported, {"q": edges[:, None]})
    found = {case: results["result"] for case, results in cases.results().items()}
    for case, x in rows.items():
        assert test_sincos.worst_ulp(lambda _, case=case: found[case], x) <= test_sincos.LIMIT, case
    true = np.stack([[np.nan] * 3 + [*edges[3:]], [np.nan] * 3 + [1.0] * 4], -1)
    np.testing.assert_array_equal(found["edges"], true)


@dataclass(frozen=True)
class Leaky(ar.Element):
    """Pulls a joint by a state that follows its coordinate and forgets."""

    joint: str
    variables = {"x": ar.Variable(0.1)}  # noqa: RUF012

    @property
    def joints(self):
        return (self.joint,)

    def forces(self, here):
        return (-3.0 * here.states["x"],)

    def rates(self, here):
        return {"x": here.q[0][0] - 2.0 * here.states["x"]}


def scene(states):
    """A ball and an oblique hinge, a spring, and an element with a state of its own."""
    box = ar.Box((0.3, 0.2, 0.6), mass=3.0, placement=(0.1, 0.05, -0.3))
    model = ar.Model([
        ar.Body("trunk", ar.Spherical(), placement=(0, 0, 2), shapes=[box]),
        ar.Body("arm", ar.Revolute((1, 2, -2)), "trunk", (0.1, 0.2, -0.3), shapes=[box]),
    ])  # fmt: skip
    spring = ar.forces.Spring(("arm", (0, 0.1, -0.1)), (None, (0.5, 0.3, 1.0)), 30.0, 0.4, 3.0)
    return ar.Scene(model, [spring, *([Leaky("arm", name="leaky")] if states else [])])


STEPS, LENGTH = 100, 0.01
INTEGRATORS = ("leapfrog", "semi-implicit Euler", "explicit Euler", "implicit Euler", "BDF1",
               "BDF2", "variational", "Runge-Kutta")  # fmt: skip


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_steps(integrator, tmp_path):
    """A hundred of them lead where `ar.simulate` does."""
    states = integrator in ("leapfrog", "Runge-Kutta")
    where = scene(states)
    model, page = where.model, ar.step(where, integrator)
    rng = np.random.default_rng(0)
    q, qd = model.random(rng), rng.normal(size=model.nv)
    run = ar.simulate(where, STEPS * LENGTH, LENGTH, integrator=integrator, q=q, qd=qd,
                      keep_every=STEPS, progress=False)  # fmt: skip
    exported = ar.export(page, model)
    assert set(exported.inputs) - {"h", "parameters"} <= set(exported.results)
    given = {name: np.zeros(shape) for name, shape in exported.inputs.items()}
    given |= {"q": q, "qd": qd, "h": np.array(LENGTH), "parameters": page.values}
    if states:
        given["leaky_x"] = np.array([0.1])
    cases = Cases(tmp_path)
    cases.add("step", exported, {n: x[None] for n, x in given.items()}, steps=STEPS)
    found = cases.results()["step"]
    assert found["steps"] == STEPS
    tolerance = 1e-11 if integrator == "variational" else 1e-12  # solved to a residual of 1e-11
    assert_close(found["q"][0], run.q[-1], 1, tolerance)
    assert_close(found["qd"][0], run.qd[-1], 1, tolerance)


def test_a_chain_of_a_thousand_links(tmp_path):
    """Its code is shared; tables of places make the module."""
    model = ar.random_tree(1000, 1.0, taper=1.0)
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 1, model.nv))
    exported, cases = ar.export(ar.algorithms.inverse_dynamics, model), Cases(tmp_path)
    cases.add("chain", exported, {"q": q, "qd": qd, "qdd": qdd})
    code = len(exported.wasm) - exported.data
    assert code < 150_000
    found = cases.results()["chain"]["result"]
    assert_close(found, ar.evaluate(ar.algorithms.inverse_dynamics, model, q, qd, qdd), 1, 1e-12)


def test_the_document_swings(tmp_path, monkeypatch):
    """Python and JavaScript of docs/export.md, one after the other."""
    text = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
    python, script = (re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL)[1]
                      for kind in ("python", "js"))  # fmt: skip
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(python, names)
    Path("swing.mjs").write_text(script)
    run = ar.simulate(names["scene"], 1.0, 0.001, q=names["start"]["q"], progress=False)
    np.testing.assert_allclose(json.loads(node("swing.mjs")), run.q[-1], rtol=1e-12)


# What a module is


def test_a_module_asks_for_memory_alone_and_gives_one_function(tmp_path):
    path = ar.export(ar.algorithms.difference, TREE).save(tmp_path / "difference.wasm")
    script = tmp_path / "look.mjs"
    script.write_text(
        "import {readFileSync} from 'node:fs';\n"
        f"const m = new WebAssembly.Module(readFileSync({json.dumps(str(path))}));\n"
        "const {imports, exports, customSections} = WebAssembly.Module;\n"
        "console.log(JSON.stringify([imports(m), exports(m), customSections(m, 'linking')]));\n"
    )
    imports, exports, custom = json.loads(node(script))
    assert {x["name"] for x in imports} == {"__linear_memory", "__stack_pointer"}
    assert exports == [{"name": "run", "kind": "function"}]
    assert custom == []


def test_the_same_page_gives_the_same_bytes(monkeypatch, tmp_path):
    first = ar.export(ar.algorithms.crba, FLAT)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert ar.export(ar.algorithms.crba, FLAT) == first  # compiled anew
    assert ar.export(ar.algorithms.crba, FLAT) == first  # from disk
    assert len(list(tmp_path.rglob("*"))) == 3


def test_a_file_and_a_manifest_beside_it(tmp_path):
    exported = ar.export(ar.algorithms.forward_dynamics, FLAT)
    path = exported.save(tmp_path / "body.v2")
    assert path == tmp_path / "body.v2.wasm"
    assert path.read_bytes() == exported.wasm
    manifest = json.loads((tmp_path / "body.v2.json").read_text())
    assert manifest == exported.manifest()
    places = [*manifest["inputs"], *manifest["results"]]
    names = [(place["name"], tuple(place["shape"])) for place in places]
    assert names == [*exported.inputs.items(), *exported.results.items()]
    ends = [place["address"] + 8 * math.prod(place["shape"]) for place in places]
    starts = [place["address"] for place in places]
    assert starts[1:] == ends[:-1] and ends[-1] == manifest["free"] <= manifest["pages"] << 16
    assert exported.data + 200_000 < manifest["stack"] == manifest["scratch"]
    assert manifest["scratch"] + exported.scratch <= manifest["rows"]
    assert manifest["rows"] + 4 * len(places) <= starts[0] and starts[0] % 8 == 0


def test_names_of_results():
    def several(tree, q):
        return {"b": q[1], "1": 2.0}

    assert list(ar.export(several, FLAT).results.items()) == [("b", (4,)), ("1", ())]

    def two(tree, q):
        return q[1], q[2][0]

    assert list(ar.export(two, FLAT).results) == ["0", "1"]
    words = r"<crba as WebAssembly, \d+ bytes: q \(8,\) -> result \(6, 6\)>"
    assert re.fullmatch(words, repr(ar.export(ar.algorithms.crba, FLAT)))
    where = scene(states=True)
    step = ar.step(where)
    assert list(ar.export(step, where.model).results) == ["q", "qd", "leaky_x", "steps"]

    @functools.wraps(step)
    def first(*given, **named):
        return step(*given, **named)[:2]

    assert list(ar.export(first, where.model).results) == ["0", "1"]


def test_features_are_those_of_every_browser():
    known = {"mutable-globals", "sign-ext", "nontrapping-fptoint", "bulk-memory", "bulk-memory-opt"}
    assert {name[1:] for name in FEATURES.split(",")} == known


# What can go wrong


def test_what_is_no_page_is_refused():
    with pytest.raises(ar.TraceError, match=r"a page is 3. Give a function `page\(tree, q"):
        ar.export(3, FLAT)
    with pytest.raises(ar.TraceError, match="`forward_dynamics` is compiled already"):
        ar.export(FLAT.forward_dynamics, FLAT)
    with pytest.raises(ar.ModelError, match="the model is a str"):
        ar.export(ar.algorithms.crba, "panda.urdf")
    with pytest.raises(ar.TraceError, match=r"`optional` names 'fext'.*: f_ext. .*f_ext"):
        ar.export(ar.algorithms.aba, FLAT, optional=("fext",))
    with pytest.raises(ar.TraceError, match=r"`optional` is 'f_ext'. Give a tuple"):
        ar.export(ar.algorithms.aba, FLAT, optional="f_ext")


def test_a_place_that_cannot_be_written(tmp_path):
    exported = ar.export(ar.algorithms.crba, FLAT)
    with pytest.raises(ar.FileError, match=r"cannot be written: .*Save it elsewhere"):
        exported.save(tmp_path / "none" / "body")


def test_modules_that_need_more_than_memory_are_refused():
    """A function of a library would be asked of the host, who has none."""
    from arthron._compile.run.assembler import object_code
    from arthron._compile.run.wasm import WASM

    m = WASM.machine
    text = """declare double @sin(double)
    define double @run(double %x) {
      %y = call double @sin(double %x)
      ret double %y
    }"""
    code = object_code(text, m.triple, m.cpu, m.features, reloc="static")
    with pytest.raises(ar.CompileError, match=r"asks its host for env\.sin.*bug in arthron"):
        link(code, "run")
    with pytest.raises(ar.CompileError, match="no WebAssembly"):
        link(b"\x7fELF", "run")
