# then.sh - sourced: the programs of an earlier commit.

# Makes $1 with the tree of commit $2, and in $1/build the other arguments' make targets.
then_build() { # DIR COMMIT TARGET...
    local dir=$1 commit=$2
    shift 2
    mkdir -p "$dir"
    git archive "$commit" | tar -C "$dir" -x
    echo "building $commit"
    (cd "$dir" && MAKEFLAGS='' make -s -j"$(nproc)" BUILD=build "$@") >"$dir.log" 2>&1 && return
    tail -20 "$dir.log"
    return 1
}
