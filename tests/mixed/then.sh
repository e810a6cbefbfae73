# then.sh - sourced: the programs of an earlier commit.

# In $1, which is made, the tree of commit $2 and in $1/build what make says of the other arguments.
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
