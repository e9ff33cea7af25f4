# Ansible on the node itself: no connection, no inventory, and what it needs to know of the others stands in the facts.
set -eu
export LC_ALL=C.UTF-8 ANSIBLE_NOCOLOR=1 ANSIBLE_RETRY_FILES_ENABLED=0
command -v ansible-playbook >/dev/null || {
    echo "ansible is not here: installing Debian's"
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y ansible-core
}
ansible-playbook --connection local --inventory localhost, "${1:-site.yaml}"
