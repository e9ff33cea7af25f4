# shellcheck shell=sh disable=SC2154
# distribute DIGEST BYTES: the facts of all members come on standard input, so many bytes, and behind them lines of /etc/hosts by
# which they find each other. Both take the place of the old ones, where they differ. The mark is the last that is written: until
# either file is touched, nobody has to send them again (look.sh). Where the node has the cluster's authority, ssh accepts these
# members' host certificates from here on, and no others (members.sh).
digest=$1 bytes=$2
path=/etc/cluster_facts.json
begin
folder_have
alone shared 'what all members are to know'
all=$folder/distribute.new
why=$(cat 2>&1 >"$all") || {
    rm -f "$all"
    fail node "$why"
}
sum=$(sha256sum <"$all")
if [ "${sum%% *}" != "$digest" ]; then # the connection was cut
    rm -f "$all"
    fail digest 'not all of the facts have arrived'
fi

# take PATH FILE: 0 it was another one, 1 it is the same. What cannot be replaced is written over (a mount of one file).
take() {
    [ ! -f "$1" ] || [ -L "$1" ] || ! cmp -s "$2" "$1" || return 1
    put "$1" 644 <"$2" 2>/dev/null || { cat "$2" >"$1" && sync "$1"; } 2>/dev/null || fail node "'$1' cannot be written"
    return 0
}

# What stands in /etc/hosts but for reeve's block. Where somebody has taken away the block's end, the lines that were of it go (a
# copy of them is among the marks), and whatever stands behind them stays.
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
before_keep copy root "$path"
before_keep edit root /etc/hosts
why=$(head -c "$bytes" "$all" 2>&1 >"$all.facts") || fail node "$why"
take "$path" "$all.facts" && same=no
tail -c "+$((bytes + 1))" "$all" 2>/dev/null >"$all.lines" || fail space "'$all.lines' cannot be written"
{
    hosts_others && # or what it has left out would go
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
{ echo "$digest" && shared_files; } 2>/dev/null >"$marks/facts"
say "same $same"
end
