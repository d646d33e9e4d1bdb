#!/bin/sh
# Installs the wheel of dist/ as its users do, in an environment of its own, and tries it.

set -eu
cd "$(dirname "$0")/.."
wheel=$(ls "$PWD"/dist/isodelta-*.whl)
scenario=$PWD/scenarios/lost_update.yaml
pins=$PWD/constraints.txt

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
.venv/bin/python -m venv "$place/venv"
cd "$place"

fail() {
    echo "wheel: $*" >&2
    exit 1
}

install() {
    venv/bin/python -m pip install --quiet --disable-pip-version-check -c "$pins" "$@"
}

install "$wheel"
venv/bin/isodelta --version
venv/bin/isodelta check "$scenario" >/dev/null
for module in model checker conformance pipeline pyspark deltalake; do
    if venv/bin/python -c "import $module" 2>/dev/null; then
        fail "$module is on the path"
    fi
done
code=0
said=$(venv/bin/isodelta replay "$scenario" --engine delta-rs 2>&1 >/dev/null) || code=$?
[ "$code" = 3 ] || fail "without delta-rs, replay ended with $code"
[ "$said" = "isodelta: deltalake is not installed; it comes with: pip install 'isodelta[delta-rs]'" ] ||
    fail "without delta-rs, replay said: $said"

install "$wheel[delta-rs]"
code=0
venv/bin/isodelta replay "$scenario" --engine delta-rs --json >replayed || code=$?
[ "$code" -le 1 ] || fail "with delta-rs, replay ended with $code"
grep -q '"engine": "delta-rs"' replayed || fail "with delta-rs, nothing was replayed"
echo "wheel: works"
