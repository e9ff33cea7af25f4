# shellcheck shell=dash
# Makes this host the first manager (reeve bootstrap manager). $1 is the step, then its arguments. Runs as root. Each step can be
# repeated without harm: what it has done is in files of $marks. Standard output has lines "NAME VALUE", standard error the rest.
set -eu
umask 022
marks=/var/lib/reeve-bootstrap
incoming=/var/tmp/reeve-bootstrap
config=/etc/reeve/reeved.yaml
mark() {
    mkdir -p "$marks"
    printf '%s\n' "$2" >"$marks/$1.new"
    sync -f "$marks/$1.new"
    mv "$marks/$1.new" "$marks/$1"
}
has_systemd() {
    [ -d /run/systemd/system ]
}
# Whether a manager runs here: pidof is not everywhere.
is_running() {
    for exe in /proc/[0-9]*/exe; do
        case $(readlink "$exe" 2>/dev/null || true) in
        */reeved | */reeved\ *) return 0 ;;
        esac
    done
    return 1
}
# Whether anything listens at port $1: state 0A in the kernel's tables.
is_port_used() {
    hex=$(printf ':%04X' "$1")
    for table in /proc/net/tcp /proc/net/tcp6; do
        if [ -r "$table" ] && awk -v port="$hex" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 } END { exit !found }' "$table"; then
            return 0
        fi
    done
    return 1
}
# $1: the port that the manager will use.
step_look() {
    id=unknown
    release=0
    if [ -r /etc/os-release ]; then
        # shellcheck source=/dev/null
        id=$(. /etc/os-release && echo "${ID:-unknown}")
        # shellcheck source=/dev/null
        release=$(. /etc/os-release && echo "${VERSION_ID:-0}")
    fi
    echo "id $id"
    echo "release $release"
    echo "arch $(dpkg --print-architecture 2>/dev/null || uname -m)"
    echo "free $(df -Pk /var | awk 'NR == 2 { print $4 }')"
    echo "clock $(date +%s)"
    if command -v apt-get >/dev/null; then echo "apt yes"; fi
    if is_port_used "$1"; then echo "port used"; fi
    if is_running; then echo "running yes"; fi
    if [ -e /var/lib/reeve/store.db ]; then echo "store yes"; fi
    if [ -r "$config" ]; then
        sed -n 's/^[^#]*address: *["'\'']\{0,1\}\([^ ,}"'\'']*\).*/listens \1/p' "$config"
    fi
    for file in "$marks"/*; do
        if [ -f "$file" ]; then echo "${file##*/}_done $(head -c 200 "$file" | head -n 1)"; fi
    done
}
# Prepares the folder for packages.
step_incoming() {
    rm -rf "$incoming"
    mkdir -m 0700 "$incoming"
}
# The store will be in an etcd: the packages must not start a manager, which would make an embedded store.
step_hold() {
    if [ -e /var/lib/reeve/store.db ]; then
        echo "the host has a store of its own, from a manager without --store; to move it into etcd: reeve manager move-store --to etcd" >&2
        exit 1
    fi
    mark hold starts
}
# Forbids packages to start services, as administrators do it, until policy_end.
policy=/usr/sbin/policy-rc.d
policy_begin() {
    if [ -e "$marks/hold" ] && [ ! -e "$policy" ]; then
        printf '#!/bin/sh\n# Made by reeve bootstrap manager.\nexit 101\n' >"$policy"
        chmod 0755 "$policy"
    fi
}
policy_end() {
    if grep -qs 'Made by reeve bootstrap manager' "$policy"; then rm -f "$policy"; fi
}
# $1: the version; then the names of the files in $incoming. Packages of Debian on which they depend come from the host's own mirror.
step_packages() {
    version=$1
    shift
    export DEBIAN_FRONTEND=noninteractive
    cd "$incoming"
    for name in "$@"; do
        set -- "$@" "./$name"
        shift
    done
    if ! command -v openssl >/dev/null; then
        set -- "$@" openssl
    fi
    policy_begin
    trap policy_end EXIT
    apt-get -q -y -o Dpkg::Options::=--force-confold install --no-install-recommends "$@" >&2 || {
        apt-get -q update >&2 || true
        apt-get -q -y -o Dpkg::Options::=--force-confold install --no-install-recommends "$@" >&2
    }
    policy_end
    trap - EXIT
    cd /
    rm -rf "$incoming"
    mark packages "$version"
}
# $1: the endpoints, as a list of YAML; $2: the prefix; $3: where other managers reach this one, or nothing. The files of the login are
# there already.
step_store() {
    account=$(stat -c %U /var/lib/reeve 2>/dev/null || echo root)
    chown "$account" /etc/reeve/store.key
    chmod 0644 /etc/reeve/store-ca.pem /etc/reeve/store.pem
    if grep -q '^store:' "$config" 2>/dev/null; then
        echo "kept store"
    else
        cp -p "$config" "$config.new" 2>/dev/null || : >"$config.new"
        printf '\n# Added by reeve bootstrap manager.\nstore:\n  etcd:\n    endpoints: %s\n    ca: /etc/reeve/store-ca.pem\n    certificate: /etc/reeve/store.pem\n    key: /etc/reeve/store.key\n    prefix: "%s"\n' \
            "$1" "$2" >>"$config.new"
        if [ -n "$3" ]; then printf 'peer: {address: "%s"}\n' "$3" >>"$config.new"; fi
        reeved --check-config --config "$config.new" >&2
        mv "$config.new" "$config"
        mark restart needed
    fi
    mark store "$2"
}
# $1: the name or address by which others reach the host; $2: IP or DNS, the kind of $1; $3: the port; $4: the address to listen on.
step_configure() {
    account=$(stat -c %U /var/lib/reeve 2>/dev/null || echo root)
    mkdir -p /etc/reeve
    if [ ! -s /etc/reeve/tls.crt ] || [ ! -s /etc/reeve/tls.key ]; then
        rm -f /etc/reeve/tls.key.new /etc/reeve/tls.crt.new
        (umask 077; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=reeve manager" \
            -addext "subjectAltName=$2:$1,DNS:localhost,IP:127.0.0.1" -keyout /etc/reeve/tls.key.new -out /etc/reeve/tls.crt.new 2>/dev/null)
        chown "$account" /etc/reeve/tls.key.new
        chmod 0644 /etc/reeve/tls.crt.new
        mv /etc/reeve/tls.key.new /etc/reeve/tls.key
        mv /etc/reeve/tls.crt.new /etc/reeve/tls.crt
        echo "made certificate"
    fi
    if grep -q '^listen:' "$config" 2>/dev/null; then
        echo "kept listen"
    else
        cp -p "$config" "$config.new" 2>/dev/null || : >"$config.new"
        printf '\n# Added by reeve bootstrap manager.\nlisten:\n  - address: "%s:%s"\n    tls: {certificate: /etc/reeve/tls.crt, key: /etc/reeve/tls.key}\n' \
            "$4" "$3" >>"$config.new"
        reeved --check-config --config "$config.new" >&2
        mv "$config.new" "$config"
        mark restart needed
    fi
    mark configure "$1"
}
# Starts the manager, and waits until it is ready. $1: seconds.
step_start() {
    if [ -e "$marks/restart" ] || ! is_running; then
        if has_systemd; then
            systemctl enable reeved >&2
            systemctl restart reeved >&2
        else
            service reeved restart >&2
        fi
        rm -f "$marks/restart"
    fi
    left=$(($1 * 5))
    until env HOME=/root timeout 5 reeve api GET /readyz >/dev/null 2>&1; do
        left=$((left - 1))
        if [ "$left" -le 0 ]; then
            echo "the manager is not ready after $1 s; its own report:" >&2
            env HOME=/root timeout 20 reeve doctor >&2 || true
            exit 1
        fi
        sleep 0.2
    done
    mark start ready
    cat /etc/reeve/tls.crt
}
# The host is a member of the group $1 now.
step_member() {
    mark member "$1"
}
# Makes the user $1, an admin of every tenant, and prints a token of that user. $2: a note for the list of tokens.
step_token() {
    export HOME=/root
    if [ ! -e "$marks/user" ]; then
        if ! reeve get users -o name | grep -qxF -e "user/$1" -e "$1"; then
            reeve create user "$1" --yes >&2
        fi
        reeve create grant "$1" admin --all-tenants --yes >&2
        mark user "$1"
    fi
    reeve create token "$1" -m "$2" --yes
    mark token "$1"
}
step=$1
shift
case $step in
look | hold | incoming | packages | store | configure | start | token | member) "step_$step" "$@" ;;
*) exit 64 ;;
esac
