# shellcheck shell=sh disable=SC2154
# release USER CLUSTER: removes everything that reeve has written on this machine, and restores the
# files that it has replaced (before.sh); docs/reference/release.md has the list. Software that
# stages have installed stays. Every part can be repeated after an interruption. The lines that give
# reeve access are removed last, so until then the program can be sent again.
user=$1 cluster=$2
mark="cert-authority,principals=\"cluster:$cluster\" "
etc=/etc/ssh/reeve sshd=/etc/ssh/sshd_config.d/00-reeve.conf ssh=/etc/ssh/ssh_config.d/00-reeve.conf
work=$folder/release.new

# session_kill SIGNAL PID: signals all processes in the session of process PID. Processes that have
# created another session are not affected.
session_kill() {
    for stat in /proc/[0-9]*/stat; do
        { read -r line <"$stat"; } 2>/dev/null || continue
        # shellcheck disable=SC2086
        set -- "$1" "$2" ${line##*) }
        [ "$6" != "$2" ] || kill "-$1" "$(echo "${stat#/proc/}" | cut -d/ -f1)"
    done 2>/dev/null
}

# Ends running stages.
stages_end() {
    for lock in "$marks"/*.lock; do
        n=${lock##*/}
        n=${n%.lock}
        case $n in '' | *[!0-9]*) continue ;; esac
        pid=
        if ! flock -n "$lock" true && read -r pid <"$marks/$n.pid"; then
            case $pid in '' | 0* | 1 | *[!0-9]*) continue ;; esac
            session_kill TERM "$pid"
            flock -w 3 "$lock" true
            session_kill KILL "$pid"
        fi
    done 2>/dev/null
}

is_edited() { [ -e "$before/list" ] && grep -qxF -e "edit $1 $2" "$before/list"; }

# as_before OWNER PATH [time]: restores mode and owner, and with `time` also the modification time,
# for a file whose content is restored.
as_before() {
    copy_of "$2"
    { [ -f "$copy.stat" ] && read -r mode ids time <"$copy.stat"; } 2>/dev/null || return 0
    as_user "$1" chown "$ids" "$2" 2>/dev/null
    as_user "$1" chmod "$mode" "$2"
    [ $# -lt 3 ] || as_user "$1" touch -d "@$time" "$2"
}

# write OWNER PATH FILE: writes the file's bytes to PATH as the owner, atomically. If PATH cannot be
# replaced, such as a mount of a single file, it is overwritten in place.
write() {
    # shellcheck disable=SC2016
    as_user "$1" sh -c 'umask 077; { cat >"$0.reeve-new" && { [ ! -e "$0" ] || chmod --reference="$0" "$0.reeve-new"; } &&
        sync "$0.reeve-new" && mv -f "$0.reeve-new" "$0"; } 2>/dev/null || { rm -f "$0.reeve-new"; exit 1; }' "$2" <"$3" ||
        as_user "$1" sh -c 'cat >"$0"' "$2" <"$3" || fail node "'$2' cannot be written"
}

lines_of() { grep -c '' "$1"; }

# edit_back OWNER PATH FILTER...: replaces a file by the output of the filter. If the result equals
# the original content, the copy is restored with its exact bytes and time. A file that did not
# exist before reeve is removed if it is now empty.
edit_back() {
    owner=$1 path=$2
    copy_of "$path"
    shift 2
    as_user "$owner" test -f "$path" || return 0
    { as_user "$owner" cat "$path" >"$work.now" && "$@" <"$work.now" >"$work.out"; } 2>/dev/null ||
        fail space "'$work.out' cannot be written"
    if [ ! -e "$copy" ] && [ ! -s "$work.out" ] && is_edited "$owner" "$path"; then
        as_user "$owner" rm -f "$path"
        return 0
    fi
    [ "$(lines_of "$work.now")" -ne "$(lines_of "$work.out")" ] || return 0 # no line is reeve's
    when=
    if [ -f "$copy" ]; then
        { "$@" <"$copy" >"$work.was"; } 2>/dev/null || fail space "'$work.was' cannot be written"
        if cmp -s "$work.was" "$work.out" && [ "$(lines_of "$copy")" -eq "$(lines_of "$work.was")" ]; then
            cp "$copy" "$work.out" # also a missing final newline
            when='time'
        fi
    fi
    write "$owner" "$path" "$work.out"
    as_before "$owner" "$path" $when
}

# The filters. An Include that reeve has added is the first line of the file.
include_filter() { sed -e "1{\\#^Include /etc/ssh/$1\\.d/\\*\\.conf\$#d;}"; }
marked_filter() { grep -vF -e "$mark" || [ $? -eq 1 ]; }

# block_filter BEGIN: removes a block, from the line that begins with BEGIN to its end marker. If
# the end marker was removed, only lines that reeve has written are dropped.
block_filter() {
    awk -v begin="$1" -v was="$marks/hosts" '
        BEGIN { while ((getline line <was) > 0) ours[line] = 1 }
        { lines[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                if (index(lines[i], begin) == 1) {
                    last = i + 1
                    while (last <= NR && index(lines[last], "# reeve end") != 1) last++
                    if (last <= NR) i = last
                    else is_open = 1
                } else if (!(is_open && lines[i] in ours)) {
                    print lines[i]
                }
            }
        }'
}

listener() { { read -r pid </run/sshd.pid && read -r name <"/proc/$pid/comm" && [ "$name" = sshd ] && echo "$pid"; } 2>/dev/null; }

# is_login /proc/PID: true if the process serves a login that is still in progress.
is_login() {
    read -r name <"$1/comm" || return 1
    case $name in sshd*) ;; *) return 1 ;; esac
    case $(tr '\0' ' ' <"$1/cmdline") in *'[accepted]'* | *'[net]'* | *'[preauth]'*) ;; *) return 1 ;; esac
} 2>/dev/null

# Waits for logins that were in progress when sshd reloaded its settings, because they use the old
# settings and the files that those name.
logins_wait() {
    old=
    for path in /proc/[0-9]*; do
        ! is_login "$path" || old="$old $path"
    done
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        left=
        for path in $old; do
            ! is_login "$path" || left=yes
        done
        [ -n "$left" ] || return 0
        sleep 0.25
    done
}

# Makes sshd reload its settings, which are now without reeve's, and waits until it listens again.
# Only afterwards are the files removed that reeve's settings name.
sshd_back() {
    is_changed=no
    if [ -e "$sshd" ] || [ -e "$sshd.reeve-old" ]; then
        [ ! -e "$sshd" ] || try node mv -f "$sshd" "$sshd.reeve-old"
        is_changed=yes
    fi
    if is_edited root /etc/ssh/sshd_config; then
        edit_back root /etc/ssh/sshd_config include_filter sshd_config
        is_changed=yes
    fi
    [ "$is_changed" = yes ] || return 0
    mkdir -p /run/sshd 2>/dev/null
    why=$(sshd -t 2>&1) || {
        [ ! -e "$sshd.reeve-old" ] || mv -f "$sshd.reeve-old" "$sshd"
        fail sshd "$why"
    }
    was=$(stat -c '%i %z' /run/sshd.pid 2>/dev/null)
    if [ -d /run/systemd/system ]; then
        try sshd systemctl try-reload-or-restart ssh.service
    elif pid=$(listener); then
        try sshd kill -HUP "$pid"
    else
        was=
    fi
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        if [ -z "$was" ] || [ "$(stat -c '%i %z' /run/sshd.pid 2>/dev/null)" != "$was" ]; then
            break
        fi
        sleep 0.05
    done
    logins_wait
    rm -f "$sshd.reeve-old"
}

# Removes files that reeve created, and restores those that it replaced, according to the list.
files_back() {
    [ -e "$before/list" ] || return 0
    is_older=no
    while read -r kind owner path <&3; do
        case $kind in
        older) is_older=yes ;;
        none)
            case $is_older$path in
            yes*/id_ed25519 | yes*/id_ed25519.pub | yes*_key | yes*_key.pub) say "left $path" ;;
            *) as_user "$owner" rm -f "$path" "$path.revoked" ;;
            esac
            ;;
        key)
            [ "$is_older" = no ] || say "left $path"
            ! as_user "$owner" test -f "$path.revoked" || as_user "$owner" mv -f "$path.revoked" "$path"
            ;;
        copy)
            copy_of "$path"
            as_user "$owner" cat "$path" 2>/dev/null | cmp -s "$copy" - || write "$owner" "$path" "$copy"
            as_before "$owner" "$path" time
            ;;
        esac
    done 3<"$before/list"
}

# Removes folders that reeve has created and that are empty, the innermost first.
folders_back() {
    [ -e "$before/list" ] || return 0
    sed -n 's/^folder //p' "$before/list" | sort -r | while read -r owner path; do
        as_user "$owner" rmdir "$path" 2>/dev/null
    done
}

begin
home_read root
root=${home:-/root}
home_read "$user"
home=${home:-$root}
if [ -d "$marks" ]; then
    alone shared 'writing shared files'
    stages_end
else
    try node mkdir -p -m 700 "$folder" # for temporary files
fi
sshd_back
rm -f "$ssh"
! is_edited root /etc/ssh/ssh_config || edit_back root /etc/ssh/ssh_config include_filter ssh_config
rm -rf "$etc" "$etc"-* "$etc.reeve-new"
edit_back root /etc/hosts block_filter '# reeve begin:'
edit_back root "$root/.ssh/known_hosts" block_filter "# reeve begin $cluster:"
edit_back root "$root/.ssh/authorized_keys" block_filter "# reeve begin $cluster:"
files_back
# files of earlier versions of reeve, which did not write the list
rm -f /etc/cluster_facts.json "$root/.ssh/id_ed25519-cert.pub.reeve-old"
for owner in root "$user"; do
    path=$home/.ssh
    [ "$owner" != root ] || path=$root/.ssh
    # shellcheck disable=SC2016
    as_user "$owner" sh -c 'rm -rf "$0"/.reeve-* "$0"/*.reeve-new' "$path"
done
edit_back "$user" "$home/.ssh/authorized_keys" marked_filter
folders_back
rm -rf "$folder"
end
