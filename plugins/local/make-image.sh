# Make a clean Debian root file system: make-image MIRROR RELEASE TARGET PACKAGES.
# Runs as the first process of its own pid and mount namespaces. What goes wrong is said on the last lines.
set -eu
mirror=$1 release=$2 target=$3 packages=$4
umask 022

# The machine's own apt sources: "URI RELEASE KEYRING" of Debian's main component.
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(SIGNED_BY) $(COMPONENT) $(CREATED_BY)' |
    awk '$NF == "Packages" && $(NF - 1) == "main" { print $1, $2, (NF > 4 ? $3 : "") }' | sort -u)
own=$(echo "$sources" | awk '$2 ~ /^(bookworm|trixie|stable|testing)$/ { print; exit }')
[ -n "$mirror" ] || mirror=${own%% *}
if [ -z "$mirror" ]; then
    echo "this computer has no apt source of the Debian archive; give the plugin a mirror in its settings"
    exit 1
fi
keyring=$(echo "$own" | awk '{ print $3 }')
[ -r "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg
if [ ! -r "$keyring" ]; then
    echo "the keys of the Debian archive are missing: apt-get install debian-archive-keyring"
    exit 1
fi
security=$(echo "$sources" | awk -v suite="$release-security" '$2 == suite { print $1; exit }')

eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
export http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}"

mkdir "$target/root"
debootstrap --variant=minbase --keyring="$keyring" --include="$packages" \
    "$release" "$target/root" "$mirror"

cd "$target/root"
{
    echo "deb $mirror $release main"
    [ -z "$security" ] || echo "deb $security $release-security main"
} >etc/apt/sources.list
# Nothing that two machines must not share, and nothing that can be fetched again.
rm -rf etc/ssh/ssh_host_* var/lib/dbus/machine-id var/lib/systemd/random-seed var/cache/apt/* \
    var/lib/apt/lists/* var/log/* var/cache/debconf/*-old var/lib/dpkg/*-old \
    etc/hostname etc/resolv.conf tmp/* var/tmp/* run/*
: >etc/machine-id
mkdir -p var/lib/apt/lists/partial var/cache/apt/archives/partial
sync -f .
