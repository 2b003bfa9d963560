#!/bin/sh
# Qt's system libraries on Debian and its relatives: installs them as root, otherwise names them.
# Does nothing on other systems. With the word "packaging": also what building and testing the
# packaged application needs.
set -eu
[ "$(uname -s)" = Linux ] || exit 0
command -v dpkg-query >/dev/null || exit 0
wanted="libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libglib2.0-0
libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0 libxcb-shape0
libxcb-xinerama0 libxcb-randr0 xvfb xdotool fonts-inter fonts-dejavu-core fonts-noto-color-emoji"
[ "${1:-}" != packaging ] || wanted="$wanted binutils shellcheck"
missing=""
for package in $wanted; do
    # Newer releases append t64 to some names.
    dpkg-query -W -f='${Status}\n' "$package" "${package}t64" 2>/dev/null | grep -q "ok installed" \
        || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -eq 0 ]; then
    echo "Installing Qt's system libraries:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || true # older lists may do
    # shellcheck disable=SC2086  # one word each
    apt-get install -y -qq --no-install-recommends $missing >/dev/null || for package in $missing; do
        # One that this release lacks must not keep the others out.
        apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 \
            || echo "Not installed: $package; what needs it will say so."
    done
else
    echo "The window needs these packages:$missing"
    echo "Install them with: sudo apt-get install$missing"
fi
