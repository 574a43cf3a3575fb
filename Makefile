# Every target does its own set-up, in $(VENV), and does it once: a second call goes straight to
# work, a change of pyproject.toml or of the constraints sets up again. Needs make, Python 3.11 or
# newer and the package index. Users need none of this: `pip install .` is enough.

PYTHON ?= python3
VENV ?= .venv
# What versions are installed; CONSTRAINTS= leaves the choice to pip.
CONSTRAINTS ?= constraints.txt
# SURVEY=no leaves transformers, and the set-up it needs, out of `make audit`.
SURVEY ?= yes
# A package index with CPU builds of torch, for machines on which plain torch means a CUDA build.
TORCH_INDEX ?=
# Test processes, and whatever else pytest should be told.
JOBS ?= 2
PYTEST_ARGS ?=

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := $(VENV)/bin
PY := $(BIN)/python
STAMPS := $(VENV)/.stamps
SPECIFICATION := pyproject.toml $(CONSTRAINTS)
SOURCES := reference toymodels audit proofs adapters package

# Prints one line, keeps what pip says for when it fails.
# $(call install,LOG,ARGUMENTS)
install = mkdir -p $(STAMPS); \
	$(PY) -m pip install --quiet --disable-pip-version-check \
	$(if $(CONSTRAINTS),-c $(CONSTRAINTS)) $(2) > $(STAMPS)/$(1).log 2>&1

# A failed set-up ends with the end of its log.
or_say = || { tail -n 5 $(STAMPS)/$(1).log >&2; echo "set-up failed; all of it: $(STAMPS)/$(1).log" >&2; exit 1; }

# What pyproject.toml lists in a table, as arguments for pip (which knows groups from 25.1 on only).
# $(call listed,TABLE,NAME)
listed = $$($(PY) -c 'import sys, tomllib; \
	table = tomllib.load(open("pyproject.toml", "rb")); \
	print(*(table | table["project"])[sys.argv[1]][sys.argv[2]])' $(1) $(2))

.PHONY: help
help: ## This list.
	@echo 'draftproof: is this speculative decoder lossless?'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo 'Variables: PYTHON=python3.12  VENV=folder  CONSTRAINTS= (newest versions)  SURVEY=no'
	@echo '           TORCH_INDEX=URL (CPU builds of torch)  JOBS=2  PYTEST_ARGS="-k slrs"'

# ---- set-up -------------------------------------------------------------------------------------

$(PY):
	@version=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null) || version=; \
	case $$version in \
	3.1[1-9]|3.[2-9][0-9]) ;; \
	"") echo "$(PYTHON) does not run: make PYTHON=/path/to/python, version 3.11 or newer" >&2; exit 1 ;; \
	*) echo "draftproof needs Python 3.11 or newer, $(PYTHON) is $$version: make PYTHON=/path/to/python" >&2; exit 1 ;; \
	esac
	@$(PYTHON) -m venv $(VENV) || { rm -f $(PY); \
		echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu install python3-venv" >&2; exit 1; }

$(STAMPS)/core: $(SPECIFICATION) | $(PY)
	@echo "set-up: the core into $(VENV) (about 70 MB)"
	@$(call install,core,-e .) $(call or_say,core)
	@touch $@

# A torch that is there already is kept, whatever its version: only its pin is left out.
$(STAMPS)/transformers: $(STAMPS)/core
	@echo "set-up: torch and transformers (about 1.1 GB with a CPU build of torch)"
	@kept=$$($(PY) -c 'import torch; print(torch.__version__)' 2> /dev/null) || kept=; \
	if [ -n "$$kept" ]; then \
		torch="torch==$$kept"; $(if $(CONSTRAINTS),grep -v '^torch==' $(CONSTRAINTS),:) > $(STAMPS)/pins; \
	else \
		torch=torch; $(if $(CONSTRAINTS),cat $(CONSTRAINTS),:) > $(STAMPS)/pins; \
	fi; \
	$(PY) -m pip install --quiet --disable-pip-version-check -c $(STAMPS)/pins \
		$(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) "$$torch" -e '.[transformers]' \
		> $(STAMPS)/transformers.log 2>&1 $(call or_say,transformers)
	@touch $@

$(STAMPS)/docs: $(STAMPS)/core
	@echo "set-up: mkdocs"
	@$(call install,docs,$(call listed,optional-dependencies,docs)) $(call or_say,docs)
	@touch $@

# Readers of weights and tokenizers; torch and transformers are there by then, whatever their version.
$(STAMPS)/models: $(STAMPS)/transformers
	@echo "set-up: readers of model and tokenizer files"
	@$(PY) -m pip install --quiet --disable-pip-version-check -c $(STAMPS)/pins \
		$$($(PY) -c 'import tomllib; print(*(name for name in tomllib.load(open("pyproject.toml", "rb")) \
		["project"]["optional-dependencies"]["models"] if not name.startswith("draftproof")))') \
		> $(STAMPS)/models.log 2>&1 $(call or_say,models)
	@touch $@

# mkdocs too: a test builds the site.
$(STAMPS)/test: $(STAMPS)/models $(STAMPS)/docs
	@echo "set-up: pytest"
	@$(call install,test,$(call listed,dependency-groups,test) \
		$(call listed,optional-dependencies,proofs) \
		$(call listed,optional-dependencies,plots)) $(call or_say,test)
	@touch $@

$(STAMPS)/lint: $(SPECIFICATION) | $(PY)
	@echo "set-up: ruff and basedpyright"
	@$(call install,lint,$(call listed,dependency-groups,lint)) $(call or_say,lint)
	@touch $@

.PHONY: setup
setup: $(STAMPS)/lint $(STAMPS)/test ## All set-up for lint, types and test.

# ---- the audit ----------------------------------------------------------------------------------

.PHONY: audit
audit: $(STAMPS)/core ## The built-in algorithms, then a survey of transformers (SURVEY=no: without).
	@$(BIN)/draftproof audit builtin
	@$(MAKE) --no-print-directory survey

# Never fails: what transformers does is no fault of this checkout, and neither is a network.
.PHONY: survey
survey: $(STAMPS)/core ## The survey of transformers alone.
ifeq ($(SURVEY),yes)
	@if [ ! -e $(STAMPS)/transformers ]; then \
		echo; \
		echo "The survey needs torch and transformers: about 1.2 GB on disk with a CPU build of torch. On Linux plain"; \
		echo "torch is a CUDA build of several GB; TORCH_INDEX=URL names an index of CPU builds, SURVEY=no declines."; \
	fi
	@if ! $(MAKE) --no-print-directory $(STAMPS)/transformers > /dev/null 2>&1; then \
		echo "no survey: its set-up failed: $$(grep -m 1 '^ERROR' $(STAMPS)/transformers.log || tail -n 1 $(STAMPS)/transformers.log)"; \
		exit 0; \
	fi; \
	echo; code=0; $(BIN)/draftproof audit transformers --quick || code=$$?; \
	case $$code in 0|1|3) ;; *) echo "no survey: it ended with exit code $$code" ;; esac
else
	@echo "no survey of transformers: declined with SURVEY=$(SURVEY)"
endif

# Fetched once, into a cache outside the checkout (DRAFTPROOF_CACHE, or draftproof's in the XDG cache).
.PHONY: vllm
vllm: $(STAMPS)/vllm ## The pinned vllm releases (246 MB to download) and triton, for `audit vllm`.
	@$(PY) -m draftproof.adapters.vllm.releases

$(STAMPS)/vllm: $(STAMPS)/transformers
	@echo "set-up: triton"
	@$(call install,vllm,triton) $(call or_say,vllm)
	@touch $@

# ---- real models and tokenizers -------------------------------------------------------------------

# Into a cache outside the checkout, like the releases above; never installed.
.PHONY: assets
assets: $(STAMPS)/models ## Pinned tokenizers and weights (340 MB to download), for tests and commands.
	@$(PY) -m draftproof.adapters.assets

.PHONY: models
models: $(STAMPS)/models ## The target SmolLM2, and small drafters of our own, trained here (minutes).
	@$(PY) -m draftproof.adapters.drafters

# ---- checks -------------------------------------------------------------------------------------

# One thread each: the tensors are tiny, and the test processes share the cores.
PYTEST := OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 $(BIN)/pytest -n $(JOBS) --no-header

.PHONY: test
test: $(STAMPS)/test ## Every test but those marked long.
	@$(PYTEST) -m "not long" $(PYTEST_ARGS)

# pytest's 5 says that no test is marked long, which is no failure.
.PHONY: test-long
test-long: $(STAMPS)/test ## The sweeps marked long.
	@$(PYTEST) -m long $(PYTEST_ARGS) || test $$? -eq 5

.PHONY: lint
lint: $(STAMPS)/lint ## ruff: rules and format.
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --check --quiet .

.PHONY: coq
coq: ## Coq and Mathematical Components, by apt-get (Debian, Ubuntu; 1 GB on disk), for `make proofs`.
	@if command -v coqc > /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then \
		echo "no apt-get here: install Coq 8.16 and Mathematical Components 1.15 yourself" >&2; exit 1; \
	fi; \
	echo "set-up: Coq (about 250 MB to download)"; \
	apt-get update -qq && apt-get install -y -qq --no-install-recommends coq libcoq-mathcomp-algebra

# Exits 3 where Coq is not installed, after saying what installs it.
.PHONY: proofs
proofs: $(STAMPS)/core ## The machine-checked proofs (needs Coq): every theorem, and what it rests on.
	@$(PY) -m draftproof.proofs.machine_checked

# The folders become one package only when installed; pyright gets the same view from links.
.PHONY: types
types: $(STAMPS)/lint $(STAMPS)/test ## basedpyright.
	@rm -rf build/types && mkdir -p build/types/draftproof
	@cd build/types/draftproof && \
		ln -s ../../../package/* . && ln -s $(addprefix ../../../,$(filter-out package,$(SOURCES))) .
	@$(BIN)/basedpyright --pythonpath $(PY) --level error

# Outputs shown in the pages and in README.md are those of real runs, the survey's included.
.PHONY: docs
docs: $(STAMPS)/docs $(STAMPS)/transformers ## Renews the outputs in the pages (minutes), builds the site.
	@$(PY) docs/generate.py --slow --torch
	@$(BIN)/mkdocs build --strict --quiet

# The kill table runs the fault bank on every vector: minutes.
.PHONY: vectors
vectors: $(STAMPS)/test ## Writes vectors/ anew, the kill table included, after a change of the fault bank.
	@$(PY) -m draftproof vectors --kills --out vectors

.PHONY: bench
bench: $(STAMPS)/core ## The measurements of benchmarks/ (some minutes).
	@$(PY) benchmarks/exact_numbers.py
	@$(PY) benchmarks/audit_time.py

.PHONY: clean
clean: ## Removes the virtual environment and everything built.
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
