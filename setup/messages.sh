# Sourced by the set-up scripts: one line per step, on standard error.

say() {
    echo "setup: $*" >&2
}

fail() {
    say "$*"
    exit 1
}
