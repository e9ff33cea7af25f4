# A PostgreSQL of Debian's; the role is the argument of the stage.
set -eu
export DEBIAN_FRONTEND=noninteractive
command -v pg_lsclusters >/dev/null || { apt-get update -q && apt-get install -qy postgresql; }
echo "postgresql is installed; its role: ${1:-none}"
