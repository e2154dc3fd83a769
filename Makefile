# Two commands do everything: make demo, make test.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
DEMO    = demo

.PHONY: demo test test-slow lint reports docs clean

# A first theorem: install, solve a real problem, check its certificate, write its page.
demo:
	$(PYTHON) -m venv $(DEMO)/venv
	$(DEMO)/venv/bin/python -m pip install --quiet ".[all]"
	$(DEMO)/venv/bin/certify solve problems/karate.toml -o $(DEMO)/karate.cert.json
	$(DEMO)/venv/bin/certify check $(DEMO)/karate.cert.json --against problems/karate.toml
	$(DEMO)/venv/bin/certify report $(DEMO)/karate.cert.json -o $(DEMO)/karate.html
	@echo "Look at $(DEMO)/karate.html; the certificate is $(DEMO)/karate.cert.json"

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

lint: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Everything that must hold, in a few minutes. CERTIFY_DATA may name the folder with the big data sets.
test: lint
	$(BIN)/python -m pytest -m "not slow or sample"

test-slow: $(BIN)/.installed
	$(BIN)/python -m pytest

# What is generated from the code and kept in the repository.
docs: $(BIN)/.installed
	$(BIN)/python -m certify.formats.jsonschema docs/schema
	$(BIN)/python -m certify.quantities docs/quantities.md

reports: $(BIN)/.installed
	rm -rf reports/certificates
	$(BIN)/certify solve problems/*.toml -o reports/certificates --quiet
	gzip -nf9 reports/certificates/*.cert.json
	$(BIN)/certify report reports/certificates -o reports/index.html

clean:
	rm -rf $(DEMO) $(VENV) build dist
