#!/bin/sh
# Sees to a Chromium for the tests that open the report in a browser. Without one they are skipped.

set -eu
cd "$(dirname "$0")/.."
. setup/messages.sh

for browser in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$browser" >/dev/null 2>&1 && exit 0
done

# Only Debian itself: Ubuntu's package of that name is a pointer to a snap, which needs a daemon.
if grep -qs '^ID=debian$' /etc/os-release && sh setup/apt_install.sh "for the browser tests" chromium; then
    exit 0
fi
say "no Chromium found: the browser tests will be skipped"
