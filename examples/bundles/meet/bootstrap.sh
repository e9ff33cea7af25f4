# Root of this node reaches root of every other one, by name and without a question: keys and facts of all members are in
# place before the first bundle starts.
set -eu
names=$(grep -o '"name":"[^"]*"' /etc/cluster_facts.json | cut -d'"' -f4)
for name in $names; do
    [ "$(ssh -o BatchMode=yes "$name" hostname)" = "$name" ]
    echo "met $name"
done
