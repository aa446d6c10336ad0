# Makefile - builds and tests gram; `make help` lists the targets.
#
# A fresh Debian machine needs git and make only: each target first installs
# the packages it misses (tools/deps.sh).  Another kind of build is another
# folder with other flags, and lives beside the first:
#
#   make tests BUILD=build/asan EXTRA=-fsanitize=address,undefined
#   make tests BUILD=build/serial OPENMP=    # one thread, no OpenMP
#
# `make --trace` shows the commands as they run.

BUILD = build
PREFIX = /usr/local
DESTDIR =
CC = gcc
PYTHON = /usr/bin/python3
CFLAGS = -O2 -g
EXTRA =
OPENMP = -fopenmp
FORMAT = -i

MAKEFLAGS += --jobs=$(shell nproc) --no-print-directory

VERSION := $(shell sed -n 's/^.define GRAM_VERSION_[A-Z]* //p' \
    include/gram.h | paste -sd.)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))
OPENBLAS := /usr/lib/$(shell uname -m)-linux-gnu/openblas-pthread/libopenblas.a

WARNINGS = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
    -Wmissing-prototypes -Werror
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(WARNINGS) -Iinclude -Isrc -fPIC \
    -fvisibility=hidden $(OPENMP) -fno-math-errno -ffp-contract=off \
    $(CFLAGS) $(EXTRA)
# OpenBLAS is linked from its archive and brings its Fortran runtime.
LIBS = $(OPENBLAS) -lgfortran -lnlopt -lz -lm -lpthread

# start.c holds the library's only constructor and comes first.
LIB_SRC := src/linalg/dense/start.c \
    $(filter-out src/linalg/dense/start.c,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(sort \
    $(wildcard front/cli/*.c front/cli/*/*.c)))
TEST_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*/test_*.c))
FUZZ_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard fuzz/fuzz_*.c))
BENCH_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/bench_*.c))

PROGRAM := $(BUILD)/gram
# LIBSVM's programs: the same one, which looks at its name.
NAMES := svm-scale svm-train svm-predict
TESTS := $(addprefix $(BUILD)/tests/,$(notdir $(TEST_OBJ:.o=)))
FUZZERS := $(FUZZ_OBJ:$(BUILD)/fuzz/%.o=$(BUILD)/fuzzers/%)
BENCHES := $(BENCH_OBJ:%.o=%)
STATIC := $(BUILD)/libgram.a
SHARED := $(BUILD)/libgram.so.$(VERSION)
PACKAGE := $(BUILD)/python/gram/_core/_gram.abi3.so

.DELETE_ON_ERROR:
.PHONY: all demo check check-hard tests fuzzers python bench format install \
    uninstall clean help deps-build deps-check deps-python deps-hard deps-bench

# ------------------------------------------------------------------ targets

all: $(PROGRAM) $(NAMES:%=$(BUILD)/%) $(STATIC) $(SHARED) ## build the program and the libraries

demo: $(PROGRAM) ## build, and show what gram does on data of its own
	@$(PROGRAM) demo

check: tests python ## run all tests; ends in "N passed, N failed"
	@PYTHON=$(PYTHON) tests/run.sh $(BUILD)

check-hard: deps-hard ## sanitizers, valgrind, fuzzing, linting, long tests
	@tools/check_hard.sh long 30

tests: $(TESTS) $(PROGRAM) $(NAMES:%=$(BUILD)/%) ## build what the tests run
fuzzers: $(FUZZERS) ## build the fuzz targets (tools/fuzz.sh runs them)

python: $(PACKAGE) ## build the Python package, for PYTHONPATH=build/python

bench: $(BENCHES) python deps-bench ## measure speed and error beside others
	@bench/run.sh $(BUILD)

format: deps-hard ## lay out all C files as .clang-format says
	@clang-format-14 $(FORMAT) $(shell find include src front tests \
	    fuzz bench examples -name '*.[ch]')

clean: ## remove everything that was built
	rm -rf build $(BUILD)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

# ------------------------------------------------------------------ install

INCLUDE_DIR = $(DESTDIR)$(PREFIX)/include
LIB_DIR = $(DESTDIR)$(PREFIX)/lib
BIN_DIR = $(DESTDIR)$(PREFIX)/bin
MAN_DIR = $(DESTDIR)$(PREFIX)/share/man/man1
COMPLETION_DIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
LINKS = libgram.so.$(SOVERSION) libgram.so

install: all ## install below PREFIX (/usr/local), within DESTDIR
	@mkdir -p $(INCLUDE_DIR) $(LIB_DIR)/pkgconfig $(BIN_DIR) $(MAN_DIR) \
	    $(COMPLETION_DIR) $(ZSH_DIR)
	install -m 755 $(PROGRAM) $(BIN_DIR)
	cd $(BIN_DIR) && for name in $(NAMES); do ln -sf gram $$name; done
	install -m 644 include/*.h $(INCLUDE_DIR)
	install -m 644 $(STATIC) $(SHARED) $(LIB_DIR)
	cd $(LIB_DIR) && for link in $(LINKS); do ln -sf $(notdir $(SHARED)) $$link; done
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@OPENBLAS@|$(OPENBLAS)|' tools/gram.pc.in \
	    >$(LIB_DIR)/pkgconfig/gram.pc
	for name in gram $(NAMES); do \
	    $(PROGRAM) help --man $$name >$(MAN_DIR)/$$name.1; done
	$(PROGRAM) completion bash >$(COMPLETION_DIR)/gram
	$(PROGRAM) completion zsh >$(ZSH_DIR)/_gram
	@[ -n "$(DESTDIR)" ] || ldconfig 2>/dev/null || true

uninstall: ## remove what `make install` put there
	rm -f $(BIN_DIR)/gram $(NAMES:%=$(BIN_DIR)/%) $(patsubst include/%,$(INCLUDE_DIR)/%,\
	    $(wildcard include/*.h)) $(LIB_DIR)/libgram.a \
	    $(LIB_DIR)/$(notdir $(SHARED)) $(LINKS:%=$(LIB_DIR)/%) \
	    $(LIB_DIR)/pkgconfig/gram.pc $(MAN_DIR)/gram.1 \
	    $(NAMES:%=$(MAN_DIR)/%.1) $(COMPLETION_DIR)/gram $(ZSH_DIR)/_gram

# -------------------------------------------------------------------- rules

# One after the other, since apt works for one at a time.
deps-check: deps-build
deps-python deps-hard: deps-check
deps-bench: deps-python
deps-build deps-check deps-python deps-hard deps-bench: deps-%:
	@tools/deps.sh $*

$(NAMES:%=$(BUILD)/%): $(PROGRAM)
	@ln -sf gram $@

$(STATIC): $(LIB_OBJ)
	@echo "  ar    $@"
	@rm -f $@
	@ar rcs $@ $^

$(SHARED): $(LIB_OBJ)
	@echo "  link  $@"
	@$(CC) $(ALL_CFLAGS) -shared -Wl,-soname,libgram.so.$(SOVERSION) \
	    -Wl,-z,defs -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -o $@ $^ $(LIBS)
	@ln -sf $(@F) $(BUILD)/libgram.so.$(SOVERSION)
	@ln -sf libgram.so.$(SOVERSION) $(BUILD)/libgram.so

$(PACKAGE): $(SHARED) $(wildcard include/*.h python/*.py python/gram/*.py* \
    python/gram/*/*.py*) | deps-python
	@echo "  py    $@"
	@rm -rf $(BUILD)/python
	@cd python && GRAM_BUILD=$(abspath $(BUILD)) $(PYTHON) setup.py -q build \
	    --build-lib $(abspath $(BUILD)/python)
	@touch $@

$(PROGRAM): $(CLI_OBJ)
$(foreach object,$(TEST_OBJ),\
    $(eval $(BUILD)/tests/$(basename $(notdir $(object))): $(object)))
$(FUZZERS): $(BUILD)/fuzzers/%: $(BUILD)/fuzz/%.o
$(BENCHES): %: %.o

$(PROGRAM): LIBS += -ljansson
$(TESTS): LIBS += -lcmocka
$(FUZZERS): LIBS += -fsanitize=fuzzer

# Calls of f between object files go to __wrap_f where the program defines that.
WRAPPED = nm $(filter %.o,$^) | sed -n 's/.* T __wrap_/-Wl,--wrap=/p'

$(PROGRAM) $(TESTS) $(FUZZERS) $(BENCHES): $(STATIC)
	@mkdir -p $(@D)
	@echo "  link  $@"
	@$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(STATIC) $(LIBS) $$($(WRAPPED))

$(BUILD)/%.o: %.c Makefile | deps-build
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(CLI_OBJ): ALL_CFLAGS += -Ifront/cli
$(TEST_OBJ): ALL_CFLAGS += -Itests/support
$(TEST_OBJ): | deps-check
$(FUZZ_OBJ): | deps-hard

-include $(wildcard $(patsubst %.o,%.d,$(LIB_OBJ) $(CLI_OBJ) $(TEST_OBJ) \
    $(FUZZ_OBJ) $(BENCH_OBJ)))
