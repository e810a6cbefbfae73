# help.awk - `make help`: each target of .PHONY with the first sentence of the comment above its rule, sorted by name. A
# target without a comment is an error. Targets that a variable names are not for people.
/^\.PHONY:/ {
    while (/\\$/ && (getline line) > 0)
        $0 = substr($0, 1, length($0) - 1) line
    for (i = 2; i <= NF; i++)
        if ($i !~ /^\$/)
            phony[$i] = 1
}
/^#/ { comment = comment substr($0, 2); next }
/^[a-z][a-z0-9 -]*:([^=]|$)/ {
    match(comment, /\.( |$)/)
    for (i = split(substr($0, 1, index($0, ":") - 1), targets, " "); i > 0; i--)
        if (comment ~ /\./)
            says[targets[i]] = substr(comment, 1, RSTART)
}
{ comment = "" }
END {
    for (target in phony)
        if (target in says)
            printf "make %-20s%s\n", target, says[target] | "sort"
        else {
            print "make help: no comment above " target > "/dev/stderr"
            missing = 1
        }
    exit missing
}
