# `make run` shows what arthron does, `make test` checks that it does it, `make check` what changed
# since main in less than a minute. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest

run: $(VENV)/.core
	$(BIN)/python -m arthron

test: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto

check: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/changed.py

# the quick part of the tests, with the lowest versions that pyproject.toml allows
oldest: $(OLDEST)/.check
	OPENBLAS_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -n auto tests/graph tests/spatial tests/joints \
		tests/compile tests/laws/test_dynamics_laws.py tests/scenes/test_trajectory_files.py \
		tests/test_view.py --ignore tests/compile/test_op_counts.py

# random programs and arguments by the thousand, where `make test` has a seeded part of them
soak: $(VENV)/.test
	$(BIN)/python tests/compile/test_elementary.py 8000
	cd tests/compile && ../../$(BIN)/python test_native_loops.py
	$(BIN)/python tests/scenes/test_random_loops.py
	$(BIN)/python tests/scenes/test_robots_swing.py
	$(BIN)/python tests/collision/test_shape_pairs.py
	$(BIN)/python tests/contact/test_contact_solver.py
	$(BIN)/python tests/contact/test_random_methods.py
	$(BIN)/python tests/contact/test_random_configurations.py
	$(BIN)/python tests/contact/test_robots_drop.py
	$(BIN)/python tests/contact/test_contact_physics.py
	$(BIN)/python tests/contact/test_contact_energy.py
	$(BIN)/python tests/spacetime/test_random_motions.py
	$(BIN)/python tests/mocap/test_malformed_motion.py

bench: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps mujoco-mjx dm-control
	$(BIN)/python -m pip install --quiet --disable-pip-version-check casadi
	$(BIN)/python benchmarks/spine.py
	$(BIN)/python benchmarks/breadth.py
	$(BIN)/python benchmarks/dynamics.py
	$(BIN)/python benchmarks/scenes.py
	$(BIN)/python benchmarks/constraints.py
	taskset -c 0 $(BIN)/python benchmarks/contact.py
	$(BIN)/python benchmarks/joint_friction.py
	$(BIN)/python benchmarks/collision.py
	$(BIN)/python benchmarks/parameters.py
	$(BIN)/python benchmarks/integrators.py
	$(BIN)/python benchmarks/runge_kutta.py
	$(BIN)/python benchmarks/compile_time.py
	$(BIN)/python benchmarks/elementary.py
	$(BIN)/python benchmarks/loops.py
	$(BIN)/python benchmarks/inverse_kinematics.py
	taskset -c 0 $(BIN)/python benchmarks/spacetime.py
	$(BIN)/python benchmarks/walks.py
	$(BIN)/python benchmarks/mocap.py
	$(BIN)/python benchmarks/wasm.py
	$(BIN)/python benchmarks/live_page.py

$(VENV)/.core: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'arthron needs Python 3.11 or newer; try: make run PYTHON=python3.12')"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.test: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

$(OLDEST)/.check: pyproject.toml
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(OLDEST)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct -e ".[check]"
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) out

.PHONY: run test check oldest soak bench clean
