# The two commands of a newcomer: `make demo` and `make test`. Both install what is missing.
SHELL := /bin/bash
SWIFT := swift
CONFIGURATION := release
export DAYBOOK_STRICT := 1

.PHONY: build demo test test-extended soak bench fuzz format lint setup clean

setup:
	@scripts/setup

build: setup
	$(SWIFT) build -c $(CONFIGURATION) --product daybook

demo: build
	@$$($(SWIFT) build -c $(CONFIGURATION) --show-bin-path)/daybook demo

test: setup
	$(SWIFT) build -c $(CONFIGURATION) --build-tests
	$(SWIFT) test -c $(CONFIGURATION) --skip-build

test-extended: setup
	$(SWIFT) build -c $(CONFIGURATION) --build-tests
	DAYBOOK_TIER=extended $(SWIFT) test -c $(CONFIGURATION) --skip-build

soak: setup
	$(SWIFT) build -c $(CONFIGURATION) --build-tests
	DAYBOOK_TIER=soak $(SWIFT) test -c $(CONFIGURATION) --skip-build --filter "SoakTests|KillTests"

bench: setup
	Benchmarks/run $(if $(QUICK),--quick,)

fuzz: setup
	Fuzz/run $(or $(TARGET),all) $(or $(DURATION),600)

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks Fuzz

lint:
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Fuzz

clean:
	rm -rf .build
