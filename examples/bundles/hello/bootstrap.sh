# The smallest bundle: reeve runs this as root, in a folder of its own, with the arguments of the file.
set -eu
echo "hello from $(hostname), ${1:-nobody} greets"
