#!/bin/sh
# Makes .venv with the pinned packages of constraints.txt and this project in it.
#
# usage: packages.sh [PYTHON]
#
# Done once: a stamp in .venv holds a checksum of everything that decides what belongs there.

set -eu
cd "$(dirname "$0")/.."
. setup/messages.sh

oldest="3.11"
stamp=.venv/isodelta-stamp

# The settings of ruff, mypy and pytest, which follow in pyproject.toml, decide nothing here.
wanted=$({
    sed '/^\[tool\.ruff\]/,$d' pyproject.toml
    cat constraints.txt setup/packages.sh
    pwd
} | cksum)
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ]; then
    exit 0
fi

is_new_enough() {
    "$1" -c "import sys; sys.exit(sys.version_info < (3, 11))" >/dev/null 2>&1
}

find_python() {
    if [ -n "${1:-}" ]; then
        is_new_enough "$1" || fail "$1 is not Python $oldest or newer"
        echo "$1"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11 python3.14 python; do
        if is_new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null || echo "none")
    fail "Python $oldest or newer is needed (found: $found); install one, or say which: make setup PYTHON=/path/to/python3"
}

# Debian and Ubuntu keep the part of the standard library that makes environments in a package.
can_make_environments() {
    "$1" -c "import ensurepip, venv" >/dev/null 2>&1
}

make_environment() {
    if ! can_make_environments "$1"; then
        version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        sh setup/apt_install.sh "to make a virtual environment" "python$version-venv" "python3-venv" ||
            fail "$1 cannot make a virtual environment; install its venv package: sudo apt-get install python$version-venv"
        can_make_environments "$1" || fail "$1 still cannot make a virtual environment"
    fi
    say "making a virtual environment in .venv with $("$1" --version)"
    "$1" -m venv --clear .venv || fail "$1 could not make a virtual environment in .venv"
}

pinned() {
    sed -n "s/^\($1==[^ ;]*\).*/\1/p" constraints.txt
}

# Packages that are built on the spot use the pinned build tools, too.
pip_install() {
    PIP_BUILD_CONSTRAINT=constraints.txt .venv/bin/python -m pip install \
        --quiet --disable-pip-version-check --no-input -c constraints.txt "$@" ||
        fail "pip could not install the packages (its own words are above)"
}

python=$(find_python "${1:-}")
if is_new_enough .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then
    rm -f "$stamp"
else
    make_environment "$python"
fi
say "installing the packages pinned in constraints.txt (a few minutes the first time)"
pip_install "$(pinned pip)"
pip_install --editable ".[dev]"
echo "$wanted" >"$stamp"
