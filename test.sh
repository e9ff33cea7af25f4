#!/bin/bash
# Install what is missing, then run every test. The last line is "N passed, N failed".
#
#   FUZZ_SECONDS=5 ./test.sh    shorter fuzzing than the usual 8 s a fuzzer
set -euo pipefail
cd "$(dirname "$0")"
. tools/lib.sh
[ $# -eq 0 ] || exec tools/run-tests "$@"

# Started again by drop_root, the other packages are being installed or are there.
if [ -z "${REEVE_PACKAGES_FD:-}" ]; then
    if [ "$(id -u)" -eq 0 ]; then
        # The first build needs none of the others, which take minutes on one processor. They are installed beside it,
        # and tools/run-tests waits for the last line, the exit code.
        tools/install-packages build web unit
        exec 9< <(tools/install-packages test lint 2>&1 && echo 0 || echo 1)
        export REEVE_PACKAGES_FD=9
    else
        tools/install-packages build web unit test lint
    fi
fi
drop_root ./test.sh "$@"
need_writable_build
exec tools/run-tests "$@"
