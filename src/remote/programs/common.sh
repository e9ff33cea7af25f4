# shellcheck shell=sh
# The first part of every program on a node. A program's answer is the lines between `reeve1` and
# `end`, so an interrupted connection leaves no answer that looks complete. $1 is reeve's folder on
# the node, $2 is sshd's description of the connection (SSH_CONNECTION). Starting a process takes a
# millisecond, and many nodes may share one computer. So these programs use functions of the shell
# instead of other programs where possible.
set -u
umask 077
LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
unset -v BASH_ENV ENV CDPATH
folder=$1
# shellcheck disable=SC2034
connection=$2
shift 2
bundles=$folder/bundles marks=$folder/marks

# Output of a login shell may not end with a newline, so the answer begins with one.
begin() { printf '\nreeve1\n'; }

# Prints one line of the answer. Control characters are replaced or removed, so that a text cannot
# add further lines.
say() {
    said=$*
    case $said in *[!\ -~]*) said=$(printf '%s' "$said" | tr '\n\r\t' '   ' | tr -cd '\040-\176') ;; esac
    printf '%.2000s\n' "$said"
}

end() {
    echo end
    exit 0
}

# fail WORD TEXT: ends the program with a fault. WORD is the name of the fault, which determines the
# manager's reaction. A full disk is always reported as `space`.
fail() {
    word=$1
    shift
    case $* in
    *'No space left on device'* | *'Disk quota exceeded'*) word=space ;;
    esac
    say "fault $word"
    say "why $*"
    end
}

# try WORD COMMAND...: runs a command; if it fails, ends the program with its error output.
try() {
    word=$1
    shift
    why=$("$@" 2>&1 >/dev/null) || fail "$word" "${1##*/}: ${why:-it failed}"
}

# put PATH 600|644|same [LINE]: replaces a file by the line or by standard input, atomically and
# durably. `same` keeps owner and mode; a file that does not exist yet gets mode 644.
put() {
    if [ -e "$1.reeve-new" ] || [ -L "$1.reeve-new" ]; then
        rm -f "$1.reeve-new" || return 1
    fi
    like=
    case $2 in
    same) if [ -f "$1" ]; then like=$1; else umask 022; fi ;;
    644) umask 022 ;;
    esac
    if [ $# -gt 2 ]; then
        echo "$3" 2>/dev/null >"$1.reeve-new"
    else
        cat >"$1.reeve-new"
    fi && like "$1.reeve-new" && sync "$1.reeve-new" && mv -f "$1.reeve-new" "$1" && sync "${1%/*}/" && umask 077 && return 0
    umask 077
    rm -f "$1.reeve-new"
    return 1
}

like() { [ -z "$like" ] || { chown --reference="$like" "$1" && chmod --reference="$like" "$1"; }; }

# alone NAME WHAT: takes a lock with descriptor 8. If the program of a lost connection still does
# the same work, this program waits until it has ended.
alone() {
    exec 8>>"$marks/$1.lock"
    flock -w 10 8 || fail busy "another program is busy: $2"
}

# home_read USER: sets $home to the home folder of a user; empty if there is none.
home_read() {
    home=$(getent passwd "$1")
    home=${home%:*}
    home=${home##*:}
}

# Sets $files to the inode and the change time of the files that contain distributed facts. If any
# program changes one of these files, this text changes.
shared_files() {
    files=$(stat --printf '%i %.9Z ' /etc/cluster_facts.json /etc/hosts 2>/dev/null)
    files=${files% }
}

folder_have() {
    if [ ! -d "$marks" ] || [ ! -d "$bundles" ]; then
        try node mkdir -p -m 700 "$folder" "$bundles" "$marks"
    fi
}

# clear PATH...: removes files that a stage may have left at the path of a new file of reeve, so
# that reeve never writes through a link and never waits at a pipe.
clear() {
    for path in "$@"; do
        if [ -e "$path" ] || [ -L "$path" ]; then
            rm -rf "$path"
        fi
    done
}
