# shellcheck shell=sh disable=SC2154
# Lists of the states of files. A line is PATH, KIND, MODE, OWNER and CONTENT, separated by tabs.
# CONTENT is a digest, the target of a link, or -.
# shellcheck disable=SC2034
newline='
' tab='	'

# Joins lines "PATH KIND MODE OWNER TARGET" (tabs) with lines of sha256sum. Prints the sorted list.
states_join() {
    awk -F "$tab" '
        substr($0, 1, 1) != "/" { content[substr($0, 67)] = substr($0, 1, 64); next }
        { path[++count] = $1; state[count] = $2 FS $3 FS $4; kind[count] = $2; target[count] = $5 }
        END {
            for (i = 1; i <= count; i++) {
                what = kind[i] == "l" ? target[i] : content[path[i]]
                print path[i] FS state[i] FS (what == "" ? "-" : what)
            }
        }' | sort -u
}
