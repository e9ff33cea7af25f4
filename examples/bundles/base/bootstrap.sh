# What every machine of the example gets first.
set -eu
export DEBIAN_FRONTEND=noninteractive
command -v curl >/dev/null || { apt-get update -q && apt-get install -qy curl; }
