#!/usr/bin/env bash
# From a clean checkout to dist/Velox.app and dist/Velox-<version>.dmg, on a Mac, in one command.
#
#   packaging/build_macos.sh             signed ad hoc: runs on this Mac, and elsewhere after a right click
#   packaging/build_macos.sh --dry-run   prints every step that needs a Mac instead of doing it
#
# With VELOX_SIGN_IDENTITY ("Developer ID Application: …") it signs with that identity, and with
# VELOX_NOTARY_PROFILE (made by `xcrun notarytool store-credentials`) it notarises and staples too.
# VELOX_SELF_TEST: "gpu" (default), "cpu", or "hosted": the CPU decides, and of the GPU only its kernels.
set -euo pipefail
cd "$(dirname "$0")/.."

minimum_macos=14
identity=${VELOX_SIGN_IDENTITY:--}
profile=${VELOX_NOTARY_PROFILE:-}
self_test=${VELOX_SELF_TEST:-gpu}
credentials=(--keychain-profile "$profile")
[ -z "${VELOX_NOTARY_KEYCHAIN:-}" ] || credentials+=(--keychain "$VELOX_NOTARY_KEYCHAIN")
environment=build/macos-environment
app=dist/Velox.app
home=$PWD/build/macos-home # for what the self-test writes
dry_run=""

stop() {
    echo "build_macos.sh: $*" >&2
    exit 2
}

case "${1:-}" in
    "") ;;
    --dry-run) dry_run=yes ;;
    *) stop "unknown argument '$1'; the only one is --dry-run" ;;
esac
case "$self_test" in
    gpu | cpu | hosted) ;;
    *) stop "VELOX_SELF_TEST is '$self_test'; it can be gpu, cpu or hosted" ;;
esac

# Runs a command that needs a Mac, or prints it.
run() {
    if [ -n "$dry_run" ]; then
        printf '+'
        printf ' %q' "$@"
        printf '\n'
    else
        "$@"
    fi
}

step() {
    echo "==> $*"
}

check_machine() {
    [ "$(uname -s)" = Darwin ] || stop "Velox.app can only be built on a Mac; use --dry-run to see the steps"
    [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 0 ] \
        || stop "this terminal runs under Rosetta; open one without it and try again"
    [ "$(uname -m)" = arm64 ] || stop "this is an Intel Mac; Velox needs Apple silicon, for mlx runs nowhere else"
    local macos
    macos=$(sw_vers -productVersion)
    [ "${macos%%.*}" -ge "$minimum_macos" ] \
        || stop "this Mac runs macOS $macos; building needs macOS $minimum_macos or newer"
    xcode-select -p >/dev/null 2>&1 \
        || stop "Apple's command line tools are missing; install them with: xcode-select --install"
    local tool
    for tool in codesign ditto hdiutil install_name_tool lipo; do
        command -v "$tool" >/dev/null || stop "the tool $tool is missing; run: xcode-select --install"
    done
    command -v uv >/dev/null || stop "uv is missing; install it with: brew install uv, or: pipx install uv"
    [ -z "$profile" ] || [ "$identity" != - ] \
        || stop "VELOX_NOTARY_PROFILE needs VELOX_SIGN_IDENTITY; only signed software can be notarised"
}

# A Python of its own: Homebrew's and the system's need the macOS that they were built on.
make_environment() {
    export MACOSX_DEPLOYMENT_TARGET=$minimum_macos.0
    run uv venv --quiet --clear --managed-python --python 3.12 "$environment"
    run uv pip install --quiet --python "$environment" --python-platform aarch64-apple-darwin \
        --only-binary :all: --no-deps --require-hashes --requirement packaging/requirements-macos.lock
}

# Inside out: what a signature seals must not change after it.
sign_app() {
    local options=(--force --sign "$identity" --options runtime)
    if [ "$identity" = - ]; then options+=(--timestamp=none); else options+=(--timestamp); fi
    run xattr -cr "$app"
    run find "$app/Contents/Frameworks" -type f \( -name '*.dylib' -o -name '*.so' \) \
        -exec codesign "${options[@]}" {} +
    run find "$app/Contents/Frameworks" -depth -type d -name '*.framework' \
        -exec codesign "${options[@]}" {} +
    run find "$app/Contents/Frameworks" -maxdepth 1 -type f -name 'Python*' \
        -exec codesign "${options[@]}" {} +
    run codesign "${options[@]}" --entitlements packaging/entitlements.plist "$app"
}

verify_app() {
    run "$environment/bin/python" packaging/verify_app.py "$app"
    run codesign --verify --deep --strict --verbose=1 "$app"
}

# The notary wants an archive, and the ticket is stapled to what was archived.
notarise_app() {
    local archive=build/Velox-notary.zip
    run ditto -c -k --sequesterRsrc --keepParent "$app" "$archive"
    run xcrun notarytool submit "$archive" "${credentials[@]}" --wait
    run xcrun stapler staple "$app"
    run spctl --assess --type execute --verbose=2 "$app"
}

make_image() {
    local staging=build/macos-image
    run rm -rf "$staging" "$image"
    run mkdir -p "$staging"
    run ditto "$app" "$staging/Velox.app"
    run ln -s /Applications "$staging/Applications"
    run hdiutil create -quiet -volname Velox -srcfolder "$staging" -fs HFS+ -format ULFO "$image"
    [ "$identity" = - ] || run codesign --force --sign "$identity" --timestamp "$image"
    if [ -n "$profile" ]; then
        run xcrun notarytool submit "$image" "${credentials[@]}" --wait
        run xcrun stapler staple "$image"
        run spctl --assess --type open --context context:primary-signature --verbose=2 "$image"
    fi
}

# From the image as people get it: read-only, at a path that is not the build's.
test_image() {
    local mount=build/macos-mount
    run mkdir -p "$mount"
    run hdiutil attach -quiet -readonly -nobrowse -mountpoint "$mount" "$image"
    trap 'run hdiutil detach -quiet build/macos-mount' EXIT
    local program="$mount/Velox.app/Contents/MacOS/Velox"
    case "$self_test" in
        gpu) run env VELOX_HOME="$home" "$program" --self-test ;;
        cpu) run env VELOX_HOME="$home" VELOX_DEVICE=cpu "$program" --self-test ;;
        hosted)
            run env VELOX_HOME="$home" VELOX_DEVICE=cpu "$program" --self-test
            test_kernels "$program"
            ;;
    esac
    trap - EXIT
    run hdiutil detach -quiet "$mount"
}

# A hosted Mac's GPU may be missing or broken, which says nothing about the bundle; kernels that mlx
# cannot find or load do.
test_kernels() {
    local log=build/macos-gpu.txt
    if [ -n "$dry_run" ]; then
        run env VELOX_HOME="$home" "$1" --self-test
    elif ! VELOX_HOME="$home" "$1" --self-test >"$log" 2>&1; then
        cat "$home"/log/*.log >>"$log" 2>/dev/null || true
        cat "$log" >&2
        if grep -qi metallib "$log"; then
            stop "mlx could not load its GPU kernels from the bundle"
        fi
        echo "The GPU of this machine failed, but not on the kernels; the CPU passed."
    fi
}

[ -n "$dry_run" ] || check_machine
# Not with Python: the one that macOS brings is too old to read this file.
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)
[ -n "$version" ] || stop "pyproject.toml names no version"
image="dist/Velox-$version.dmg"

step "Python and the locked packages"
make_environment
step "Starter model and frozen application"
run env "VELOX_SIGN_IDENTITY=" "$environment/bin/python" packaging/build_app.py --freeze
step "Signing as $([ "$identity" = - ] && echo "nobody (ad hoc)" || echo "$identity")"
sign_app
step "Examining"
verify_app
if [ -n "$profile" ]; then
    step "Notarising"
    notarise_app
fi
step "Disk image $image"
make_image
step "Self-test from the image ($self_test)"
test_image
step "Done: $app and $image"
