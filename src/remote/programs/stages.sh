# shellcheck shell=sh disable=SC2034,SC2154
# Shared by the programs that read or start stages: their locks and marks.
mine= # set: this program holds the lock of the stage

# lock_take N: takes the lock of a stage with descriptor 9. The process that runs the stage holds
# it. Returns false if another process has it. A program that only reads the state holds the lock
# for a moment, so this tries a few times.
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

# True if the newest attempt has ended. Its end mark is the last file that it writes.
is_ended() {
    { [ -f "$marks/$1.end" ] && read -r end_attempt end_code end_how <"$marks/$1.end"; } 2>/dev/null || end_attempt=0
    [ "$end_attempt" = "$attempt" ] && state=ended && return 0
    end_code=-1 end_how=-
    return 1
}

# stage_read N: reads the state of a stage. One mark is written before an attempt begins, another
# one when it has ended. A stage may have replaced a mark by something else. So only regular files
# are read, because opening a pipe would block.
#   done_*     from the file stage-complete of the current tree
#   attempt_*  the newest attempt
#   end_*      how that attempt ended
#   state      absent, running, ended or lost
stage_read() {
    stage=$folder/stage-$1 state=absent
    done_chain=- attempt=0 attempt_chain=- tries=0 end_attempt=0 end_code=-1 end_how=-
    { [ -f "$marks/$1.attempt" ] && read -r attempt attempt_chain tries _ <"$marks/$1.attempt"; } 2>/dev/null || attempt=
    case ${attempt:--}${tries:--} in *[!0-9]*) attempt=0 attempt_chain=- tries=0 ;; esac
    if [ "$attempt" -gt 0 ] && ! is_ended "$1"; then
        # The process that runs the stage holds this lock. The kernel releases it when the process
        # ends for any reason.
        if [ -z "$mine" ] && ! flock -n -s 8 8>>"$marks/$1.lock"; then
            state=running
        elif ! is_ended "$1"; then # nor since then
            state=lost
        fi
    fi
    # Read after the end mark, because it is written before the end mark.
    { [ -f "$stage/stage-complete" ] && read -r _ done_chain _ <"$stage/stage-complete"; } 2>/dev/null || done_chain=-
    case $done_chain in '' | *[!0-9a-f]*) done_chain=- ;; esac # not reeve's
    if [ "$state" = lost ] && [ "$done_chain" = "$attempt_chain" ]; then # killed between the two marks
        state=ended end_code=0 end_how=exit
    fi
}

# stage_begun ATTEMPT CHAIN TRIES: updates the known state after an attempt has begun.
stage_begun() { state=running attempt=$1 attempt_chain=$2 tries=$3 end_code=-1 end_how=-; }

stage_say() { say "stage $1 $state $attempt $attempt_chain $tries $end_code $end_how $done_chain"; }
