#!/bin/bash
# Install what is missing, then run every test. The last line is "N passed, N failed".
#
#   FUZZ_SECONDS=5 ./test.sh    shorter fuzzing than the usual 8 s a fuzzer
set -euo pipefail
cd "$(dirname "$0")"
. tools/lib.sh

tools/install-packages build test lint
drop_root ./test.sh "$@"
need_writable_build
exec tools/run-tests "$@"
