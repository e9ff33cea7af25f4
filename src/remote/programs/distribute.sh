# shellcheck shell=sh disable=SC2154
# distribute DIGEST BYTES: installs the facts of all members, the first BYTES bytes of standard
# input, and the lines for /etc/hosts that follow them. A file is replaced only if its content
# differs. The mark is written last: as long as both files are unchanged, the manager need not send
# them again (look.sh). If the node has the cluster's authority, ssh then accepts host certificates
# from exactly these members (members.sh).
digest=$1 bytes=$2
path=/etc/cluster_facts.json
begin
folder_have
alone shared 'writing shared files'
all=$folder/distribute.new
why=$(cat 2>&1 >"$all") || {
    rm -f "$all"
    fail node "$why"
}
sum=$(sha256sum <"$all")
if [ "${sum%% *}" != "$digest" ]; then # the connection was lost
    rm -f "$all"
    fail digest 'not all of the facts have arrived'
fi

# take PATH FILE: returns 0 if the content differed and was installed, 1 if it was the same. A file
# that cannot be replaced, such as a mount of a single file, is overwritten in place.
take() {
    [ ! -f "$1" ] || [ -L "$1" ] || ! cmp -s "$2" "$1" || return 1
    put "$1" 644 <"$2" 2>/dev/null || { cat "$2" >"$1" && sync "$1"; } 2>/dev/null || fail node "'$1' cannot be written"
    return 0
}

# Prints /etc/hosts without reeve's block. If the end marker of the block was removed, only the
# lines that reeve has written are dropped (a copy of them is in the folder of marks). All other
# lines after the begin marker are kept.
hosts_others() {
    [ ! -e /etc/hosts ] || awk -v was="$marks/hosts" '
        BEGIN { while ((getline line <was) > 0) ours[line] = 1 }
        { lines[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                if (lines[i] ~ /^# reeve begin/) {
                    end = i + 1
                    while (end <= NR && lines[end] !~ /^# reeve (begin|end)/) end++
                    if (end <= NR && lines[end] ~ /^# reeve end/) i = end
                    else is_open = 1
                } else if (lines[i] !~ /^# reeve end/ && !(is_open && lines[i] in ours)) {
                    print lines[i]
                }
            }
        }' /etc/hosts
}

same=yes
before_keep root copy "$path" edit /etc/hosts
why=$(head -c "$bytes" "$all" 2>&1 >"$all.facts") || fail node "$why"
take "$path" "$all.facts" && same=no
tail -c "+$((bytes + 1))" "$all" 2>/dev/null >"$all.lines" || fail space "'$all.lines' cannot be written"
{
    hosts_others && # else other lines would be lost
        echo '# reeve begin: members of the cluster, written by reeve' &&
        cat "$all.lines" &&
        echo '# reeve end'
} >"$all.hosts" 2>/dev/null || fail space "'$all.hosts' cannot be written"
take /etc/hosts "$all.hosts" && same=no
try node chmod 644 "$path" /etc/hosts
try node mv -f "$all.lines" "$marks/hosts"
if [ -e /etc/ssh/reeve/host-authorities ]; then
    members_known_hosts /etc/ssh/reeve/host-authorities 2>/dev/null >"$all.lines" || fail space "'$all.lines' cannot be written"
    take /etc/ssh/reeve/known_hosts "$all.lines" && same=no
    members_ssh_config 2>/dev/null >"$all.lines" || fail space "'$all.lines' cannot be written"
    take /etc/ssh/ssh_config.d/00-reeve.conf "$all.lines" && same=no
fi
rm -f "$all" "$all.facts" "$all.hosts" "$all.lines"
shared_files
{ echo "$digest" && echo "$files"; } 2>/dev/null >"$marks/facts"
own_take facts
say "same $same"
end
