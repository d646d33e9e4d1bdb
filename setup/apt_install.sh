#!/bin/sh
# Installs one Debian package, and says so.
#
# usage: apt_install.sh WHAT_FOR PACKAGE [OTHER_PACKAGE...]
#
# Takes the first of the packages that this release has. Fails without a word where that is not
# for us to do: no apt-get, or not root. The caller knows what to tell the person then.

set -eu
cd "$(dirname "$0")/.."
. setup/messages.sh

what_for=$1
shift

[ -e /etc/debian_version ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1

export DEBIAN_FRONTEND=noninteractive
mkdir -p .isodelta
log=.isodelta/apt.log

# A package's list may be missing or old, and an old one names files that are gone.
apt-get update >"$log" 2>&1 </dev/null || say "apt-get update did not succeed (see $log); going on with the lists as they are"

for package in "$@"; do
    # What apt-cache prints for an unknown or a merely virtual package has no candidate.
    case $(LC_ALL=C apt-cache policy "$package") in
        *"Candidate: (none)"* | "") continue ;;
    esac
    say "installing $package with apt-get, $what_for"
    if apt-get install --yes --no-install-recommends "$package" >>"$log" 2>&1 </dev/null; then
        exit 0
    fi
    fail "apt-get could not install $package: $(grep '^E:' "$log" | tail -n 1) (see $log)"
done
fail "apt-get knows none of: $*"
