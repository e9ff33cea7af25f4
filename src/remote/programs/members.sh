# shellcheck shell=sh disable=SC2154
# Shared by trust and distribute. ssh on this machine accepts host certificates of the cluster's
# authority only from members (docs/decisions/0050). Members are identified by the names and
# addresses that were distributed last, which are lines "ADDRESS NAME" in $marks/hosts. If the
# address of a member is a name, its line is a comment, because /etc/hosts cannot have such an
# entry.

# members_known_hosts AUTHORITIES: prints known_hosts with one line for each member and authority.
members_known_hosts() {
    [ ! -e "$marks/hosts" ] || awk -v authorities="$1" '
        BEGIN { while ((getline line <authorities) > 0) keys[++count] = line }
        { sub(/^# /, "") }
        NF == 2 && /^[0-9A-Za-z][0-9A-Za-z._:-]* [0-9A-Za-z][0-9A-Za-z._-]*$/ {
            for (i = 1; i <= count; i++) print "@cert-authority " $1 "," $2 " " keys[i]
        }' "$marks/hosts"
}

# members_ssh_config: prints settings of ssh that apply only to members. Each line has only a few
# members, because ssh before 7.8 rejects lines of more than 1023 bytes.
members_ssh_config() {
    [ ! -e "$marks/hosts" ] || awk '
        function settings() {
            print "Match host " members
            print "    GlobalKnownHostsFile /etc/ssh/ssh_known_hosts /etc/ssh/reeve/known_hosts"
            print "    RevokedHostKeys /etc/ssh/reeve/revoked"
            print "    ConnectionAttempts 3" # sshd there may be reloading
            members = ""
        }
        { sub(/^# /, "") }
        NF == 2 && /^[0-9A-Za-z][0-9A-Za-z._:-]* [0-9A-Za-z][0-9A-Za-z._-]*$/ {
            if (length(members) + length($0) > 900) settings()
            members = members (members == "" ? "" : ",") $1 "," $2
        }
        END { if (members != "") settings() }' "$marks/hosts"
}
