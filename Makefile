# The two commands of a newcomer: `make demo` and `make test`. Both install what is missing.
SHELL := /bin/bash
SWIFT := swift
CONFIGURATION := release
SWIFT_FILES := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources \
	Fuzz/Package.swift Fuzz/Sources Examples/Package.swift Examples/Sources
# Whether imports are checked is part of the build's plan: all targets build by the same plan, so none builds anew what
# another built, and a plan from before is not used again.
BUILD := $(SWIFT) build -c $(CONFIGURATION) --explicit-target-dependency-import-check error \
	--disable-build-manifest-caching
BUILD_TESTS := $(BUILD) --build-tests
export DAYBOOK_STRICT := 1

.PHONY: build samples demo docs test test-extended soak tsan bench fuzz format lint subjects setup clean

setup:
	@scripts/setup

build: setup
	$(BUILD) --product daybook

samples: setup
	$(BUILD) --product DaybookSamples

docs: setup
	@scripts/docs

demo: build
	@$$($(SWIFT) build -c $(CONFIGURATION) --show-bin-path)/daybook demo

test: setup subjects lint
	$(BUILD_TESTS)
	$(SWIFT) test -c $(CONFIGURATION) --skip-build
	@scripts/setup browser
	DAYBOOK_SMOKE=1 $(SWIFT) test -c $(CONFIGURATION) --skip-build --filter PageBrowserTests

test-extended: setup
	$(BUILD_TESTS)
	@scripts/setup browser
	scripts/test-extended $(AREA)

soak: setup
	$(BUILD_TESTS)
	DAYBOOK_TIER=soak $(SWIFT) test -c $(CONFIGURATION) --skip-build --filter "SoakTests|KillTests"

tsan: setup
	scripts/tsan $(if $(FILTER),--filter '$(FILTER)',)

bench: setup
	Benchmarks/run $(if $(TOPIC),--topic '$(TOPIC)',$(if $(QUICK),--quick,))

fuzz: setup
	Fuzz/run $(or $(TARGET),all) $(or $(DURATION),600)

format:
	$(SWIFT) format --in-place --recursive --parallel $(SWIFT_FILES)

lint:
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_FILES)

subjects:
	@scripts/check-subjects

clean:
	rm -rf .build .build-tsan .build-docs
