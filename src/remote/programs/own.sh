# shellcheck shell=sh disable=SC2154
# Shared by the programs that write reeve's files, and by verify.sh.

# own_raw facts|trust|stages: prints the states of reeve's files, in the form that states_join
# reads. In /etc/hosts only reeve's lines count.
own_raw() {
    case $1 in
    facts)
        set -- /etc/cluster_facts.json /etc/ssh/reeve/known_hosts /etc/ssh/ssh_config.d/00-reeve.conf
        printf '/etc/hosts\t-\t-\t-\n'
        sed -n '/^# reeve begin/,/^# reeve end/p' /etc/hosts | sha256sum | sed 's|-$|/etc/hosts|'
        ;;
    trust) set -- /etc/ssh/reeve/[!k]* /etc/ssh/reeve/principals/* /etc/ssh/sshd_config.d/00-reeve.conf ;;
    *) set -- "$folder"/stage-*/stage-complete ;;
    esac
    stat --printf '%n\t-\t%f\t%u:%g\n' "$@"
    sha256sum "$@"
} 2>/dev/null

# own_take PART: writes the list of these files; called after reeve has written the files. A node
# without a baseline has no lists yet: verify.sh writes all lists together with the baseline.
own_take() {
    [ -e "$marks/baseline" ] || return 0
    own_raw "$1" 2>/dev/null >"$marks/own.new"
    mv -f "$marks/own.new" "$marks/own.$1"
}
