# shellcheck shell=sh
# What every program on a node begins with. Its answer is lines between `reeve1` and `end`: a connection that is cut in
# the middle leaves no answer that looks whole. $1 is reeve's folder on the node.
set -u
umask 077
LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
unset -v BASH_ENV ENV CDPATH
folder=$1
shift
bundles=$folder/bundles marks=$folder/marks
mine= # set: this program itself holds the lock of the stage

begin() { echo reeve1; }

# One line, so that it cannot say more than it should.
say() { printf '%s' "$*" | tr '\n\r\t' '   ' | tr -cd '\040-\176' | head -c 2000; echo; }

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

# put PATH MODE: what comes on standard input takes the place of a file, whole and on the disk, or not at all.
put() {
    rm -f "$1.reeve-new" && cat >"$1.reeve-new" && chmod "$2" "$1.reeve-new" &&
        sync "$1.reeve-new" && mv -f "$1.reeve-new" "$1" && sync "${1%/*}/" && return 0
    rm -f "$1.reeve-new"
    return 1
}

folder_have() {
    if [ ! -d "$marks" ] || [ ! -d "$bundles" ]; then
        try node mkdir -p -m 700 "$folder" "$bundles" "$marks"
    fi
}

# stage_read N: what is known of a stage. Attempts are marked before they begin, ends when they are over.
#   done_*     stage-complete, of the tree that is there    attempt_*  the newest attempt
#   end_*      how it ended                                 state      absent running ended lost
stage_read() {
    stage=$folder/stage-$1 state=absent
    done_chain=- attempt=0 attempt_chain=- tries=0 end_attempt=0 end_code=-1 end_how=-
    { read -r _ done_chain _ <"$stage/stage-complete"; } 2>/dev/null || done_chain=-
    { read -r attempt attempt_chain tries _ <"$marks/$1.attempt"; } 2>/dev/null || attempt=0
    case $attempt$tries in '' | *[!0-9]*) attempt=0 ;; esac
    [ "$attempt" -gt 0 ] || return 0
    state=lost
    # Whoever runs it holds this lock: the kernel drops it with them, however they end.
    if [ -z "$mine" ] && ! flock -n -s "$marks/$1.lock" true; then
        state=running
        return 0
    fi
    { read -r end_attempt end_code end_how <"$marks/$1.end"; } 2>/dev/null || end_attempt=0
    if [ "$end_attempt" = "$attempt" ]; then
        state=ended
    elif [ "$done_chain" = "$attempt_chain" ]; then # killed between the two marks
        state=ended end_code=0 end_how=exit
    else
        end_code=-1 end_how=-
    fi
}

stage_say() { say "stage $1 $state $attempt $attempt_chain $tries $end_code $end_how $done_chain"; }
