# The front door. meson and ninja do the work, in build/ and its sub-folders; `make help` explains.
SECONDS ?= 30
MESON   := /usr/bin/meson
PYTHON  := /usr/bin/python3
BUILD   := tools/build

.DEFAULT_GOAL := build
.PHONY: build install deb asan check plan bless lint requirements format shape bench picture fuzz sim guards coverage clang analyze clean help

build: ## release build, binaries in build/
	@$(BUILD) release

install: build ## into PREFIX (/usr/local) below DESTDIR; the configuration in /etc is not replaced
	@tools/install --prefix "$(or $(PREFIX),/usr/local)" --destdir "$(DESTDIR)"

deb: build ## the Debian packages reeve, reeved and reeve-plugins, in build/deb
	@tools/deb

asan:
	@$(BUILD) asan

check: asan ## unit tests under ASan and UBSan, under a minute
	@tools/unit-tests build/asan

plan: asan ## golden cases of the controller's decision, and its laws
	@build/asan/tests/plan/plan_cases tests/plan/*.case
	@build/asan/tests/plan/plan_random 1 2000

bless: build ## CASE=name: what comes out now is right; read the difference before you commit it
	@build/tests/plan/plan_cases --bless tests/plan/$(CASE).case

lint: ## layers, quiet half, headers, names, errors, memory, formatting, ...; CHECK=name for one
	@$(BUILD) --sources release
	@tools/lint $(CHECK)

requirements: ## each requirement with its state and its tests
	@tools/requirements

format: ## clang-format over all C
	@tools/format

shape: build ## the closing table of the style guide, measured on this tree
	@tools/shape

bench: build ## every figure claimed anywhere, one JSON line each
	@tools/bench

picture: build ## the picture of README.md anew, from a real page
	@REEVE_BIN=$(CURDIR)/build/reeve /usr/bin/python3 tests/web/picture.py

fuzz: ## every fuzzer for SECONDS (30)
	@$(BUILD) fuzz
	@tools/fuzz $(SECONDS)

sim: build ## SEED=n or SEEDS=a..b: the simulator, 30 days of bad luck a seed; nothing may be found
	@$(if $(SEED),build/sim/sim --seed $(SEED),tools/sim seeds $(or $(SEEDS),1..20))

guards: build ## each guard taken away, each planted bug: the simulator must notice
	@tools/sim guards

coverage: ## lines and branches of base, codec, model
	@$(BUILD) coverage
	@tools/coverage

clang: ## a build with clang, without warnings
	@$(BUILD) --strict clang

analyze: build ## cppcheck and gcc -fanalyzer over src/
	@tools/analyze

clean: ## remove build/
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | sed 's/make build/make/' | awk -F'|' '{ printf "%-26s %s\n", $$1, $$2 }'
	@echo
	@echo '  ./quickstart.sh            install what is missing, build, show a first session'
	@echo '  ./test.sh                  install what is missing, run every test; ends with "N passed, N failed"'
	@echo '  tools/clean-room SCRIPT    run SCRIPT of a fresh clone in a fresh Debian 12 (root); --help for more'
	@echo '  tools/lint CHECK...        some checks of make lint; tools/lint --list names them'
