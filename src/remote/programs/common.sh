# shellcheck shell=sh
# What every program on a node begins with. Its answer is lines between `reeve1` and `end`: a connection that is cut in
# the middle leaves no answer that looks whole. $1 is reeve's folder on the node, $2 what sshd says of the connection.
# Many nodes may share one computer, and a process costs a millisecond of it: what the shell can do, no other program does.
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
mine= # set: this program itself holds the lock of the stage

# What a login shell wrote may have no end of line.
begin() { printf '\nreeve1\n'; }

# One line, so that it cannot say more than it should.
say() {
    said=$*
    case $said in *[!\ -~]*) said=$(printf '%s' "$said" | tr '\n\r\t' '   ' | tr -cd '\040-\176') ;; esac
    printf '%.2000s\n' "$said"
}

end() {
    echo end
    exit 0
}

# fail WORD TEXT: WORD is what the manager goes by; a full disk is one whatever was being done.
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

# try WORD COMMAND...: run it, or fail with what it says.
try() {
    word=$1
    shift
    why=$("$@" 2>&1 >/dev/null) || fail "$word" "${1##*/}: ${why:-it failed}"
}

# put PATH 600|644|same [LINE]: the line, or what comes on standard input, takes the place of a file, whole and on the disk, or not at
# all. `same`: whose it is and who may read it stays; a file that is not there yet is for all to read.
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

# alone NAME WHAT: who serves a connection that is gone may be amid the same: one after the other, by descriptor 8.
alone() {
    exec 8>>"$marks/$1.lock"
    flock -w 10 8 || fail busy "somebody else is amid $2"
}

home_of() { getent passwd "$1" | cut -d: -f6; }

# What facts were distributed to, by number and time of their last change: whoever touches them, in whatever way, changes it.
shared_files() {
    files=$(stat --printf '%i %.9Z ' /etc/cluster_facts.json /etc/hosts 2>/dev/null)
    echo "${files% }"
}

folder_have() {
    if [ ! -d "$marks" ] || [ ! -d "$bundles" ]; then
        try node mkdir -p -m 700 "$folder" "$bundles" "$marks"
    fi
}

# clear PATH...: what a stage may have left where a new file of ours is to be goes: nothing is written through a link, nobody waits at a pipe.
clear() {
    for path in "$@"; do
        if [ -e "$path" ] || [ -L "$path" ]; then
            rm -rf "$path"
        fi
    done
}

# lock_take N: descriptor 9 is the lock of a stage, which whoever runs it has. False: somebody else has it. Who only looks has it for a
# moment.
lock_take() {
    exec 9>>"$marks/$1.lock"
    for _ in 1 2 3 4 5; do
        if flock -n 9; then
            mine=yes
            return 0
        fi
        sleep 0.05
    done
    exec 9>&-
    return 1
}

lock_give() {
    mine=
    exec 9>&-
}

# Has the newest attempt ended? Its mark is the last that it does.
is_ended() {
    { [ -f "$marks/$1.end" ] && read -r end_attempt end_code end_how <"$marks/$1.end"; } 2>/dev/null || end_attempt=0
    [ "$end_attempt" = "$attempt" ] && state=ended && return 0
    end_code=-1 end_how=-
    return 1
}

# stage_read N: what is known of a stage. Attempts are marked before they begin, ends when they are over. Of what a stage may have left in
# the place of a mark, only files are read: nobody waits at a pipe.
#   done_*     stage-complete, of the tree that is there    attempt_*  the newest attempt
#   end_*      how it ended                                 state      absent running ended lost
stage_read() {
    stage=$folder/stage-$1 state=absent
    done_chain=- attempt=0 attempt_chain=- tries=0 end_attempt=0 end_code=-1 end_how=-
    { [ -f "$marks/$1.attempt" ] && read -r attempt attempt_chain tries _ <"$marks/$1.attempt"; } 2>/dev/null || attempt=
    case ${attempt:--}${tries:--} in *[!0-9]*) attempt=0 attempt_chain=- tries=0 ;; esac
    if [ "$attempt" -gt 0 ] && ! is_ended "$1"; then
        # Whoever runs it holds this lock: the kernel drops it with them, however they end.
        if [ -z "$mine" ] && ! flock -n -s 8 8>>"$marks/$1.lock"; then
            state=running
        elif ! is_ended "$1"; then # not in between either
            state=lost
        fi
    fi
    # Read after the end, for it is written before that.
    { [ -f "$stage/stage-complete" ] && read -r _ done_chain _ <"$stage/stage-complete"; } 2>/dev/null || done_chain=-
    case $done_chain in '' | *[!0-9a-f]*) done_chain=- ;; esac # somebody else's
    if [ "$state" = lost ] && [ "$done_chain" = "$attempt_chain" ]; then # killed between the two marks
        state=ended end_code=0 end_how=exit
    fi
}

# stage_begun ATTEMPT CHAIN TRIES: what is known of it has changed so.
stage_begun() { state=running attempt=$1 attempt_chain=$2 tries=$3 end_code=-1 end_how=-; }

stage_say() { say "stage $1 $state $attempt $attempt_chain $tries $end_code $end_how $done_chain"; }
