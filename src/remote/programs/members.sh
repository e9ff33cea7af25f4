# shellcheck shell=sh disable=SC2154
# The part that trust and distribute share. ssh on this machine accepts host certificates of the cluster's authority from members
# only (docs/decisions/0050): by the names and addresses that were distributed last, the lines in $marks/hosts, "ADDRESS NAME".
# A member whose address is a name stands there as a comment, for /etc/hosts has no entry for it.

# members_known_hosts AUTHORITIES: known_hosts with one line for each member and authority.
members_known_hosts() {
    [ ! -e "$marks/hosts" ] || awk -v authorities="$1" '
        BEGIN { while ((getline line <authorities) > 0) keys[++count] = line }
        { sub(/^# /, "") }
        NF == 2 && /^[0-9A-Za-z][0-9A-Za-z._:-]* [0-9A-Za-z][0-9A-Za-z._-]*$/ {
            for (i = 1; i <= count; i++) print "@cert-authority " $1 "," $2 " " keys[i]
        }' "$marks/hosts"
}

# members_ssh_config: settings of ssh that count for members and for no other host. A line has few members: ssh before 7.8
# refuses lines of more than 1023 bytes.
members_ssh_config() {
    [ ! -e "$marks/hosts" ] || awk '
        function settings() {
            print "Match host " members
            print "    GlobalKnownHostsFile /etc/ssh/ssh_known_hosts /etc/ssh/reeve/known_hosts"
            print "    RevokedHostKeys /etc/ssh/reeve/revoked"
            print "    ConnectionAttempts 3" # sshd of a member may be reading its settings anew
            members = ""
        }
        { sub(/^# /, "") }
        NF == 2 && /^[0-9A-Za-z][0-9A-Za-z._:-]* [0-9A-Za-z][0-9A-Za-z._-]*$/ {
            if (length(members) + length($0) > 900) settings()
            members = members (members == "" ? "" : ",") $1 "," $2
        }
        END { if (members != "") settings() }' "$marks/hosts"
}
