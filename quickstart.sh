#!/bin/bash
# From a fresh clone to a first session: install what is missing, build, show what reeve does, start a
# private manager with the sample in it (tools/demo).
# Run it as often as you like; with nothing to do it takes a second or two.
set -euo pipefail
cd "$(dirname "$0")"
. tools/lib.sh

tools/install-packages build demo web
drop_root ./quickstart.sh "$@"
need_writable_build
tools/build release

# show EXIT-CODE COMMAND...: print the command, run it, and insist on how it ends.
show() {
    local expected=$1 answer=0
    shift
    printf '\n$ %s\n' "$*"
    "$@" || answer=$?
    [ "$answer" -eq "$expected" ] ||
        die "this ended with $answer instead of $expected; please report it with the output above"
}
show 0 build/reeve validate -f examples/seed.yaml
show 0 build/reeve plan --offline -f examples/seed.yaml
echo
echo "The same file with mistakes in it:"
show 3 build/reeve validate -f examples/seed-broken.yaml

tools/demo up

cat <<'END'

Your own file:
  start     build/reeve init my.yaml
  check     build/reeve validate -f my.yaml
  look      build/reeve plan -f my.yaml
  apply     build/reeve apply -f my.yaml
  tree      build/reeve tree hello
  delete    build/reeve delete hello
  more      build/reeve help        make help
END
