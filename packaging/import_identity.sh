#!/usr/bin/env bash
# For the release workflow: puts the signing identity into a keychain of its own and tells the next
# steps about it. Without the secrets it does nothing, and the build is signed ad hoc.
set -euo pipefail

if [ -z "${CERTIFICATE:-}" ]; then
    echo "No signing certificate is set up; the application will be signed ad hoc."
    exit 0
fi

keychain=$RUNNER_TEMP/velox.keychain-db
certificate=$RUNNER_TEMP/velox.p12
notary_key=$RUNNER_TEMP/velox-notary.p8
password=$(uuidgen)
trap 'rm -f "$certificate" "$notary_key"' EXIT

printf '%s' "$CERTIFICATE" | base64 --decode >"$certificate"
security create-keychain -p "$password" "$keychain"
security set-keychain-settings -lut 21600 "$keychain"
security unlock-keychain -p "$password" "$keychain"
security import "$certificate" -k "$keychain" -P "$CERTIFICATE_PASSWORD" -T /usr/bin/codesign
security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
# The keychains that are searched, with ours in front: one path a line, in quotes.
others=()
while IFS= read -r line; do others+=("$line"); done \
    < <(security list-keychains -d user | sed 's/^ *"//; s/" *$//')
security list-keychains -d user -s "$keychain" "${others[@]}"
echo "VELOX_SIGN_IDENTITY=$SIGN_IDENTITY" >>"$GITHUB_ENV"

if [ -n "${NOTARY_KEY:-}" ]; then
    printf '%s' "$NOTARY_KEY" | base64 --decode >"$notary_key"
    xcrun notarytool store-credentials velox --key "$notary_key" --key-id "$NOTARY_KEY_ID" \
        --issuer "$NOTARY_ISSUER" --keychain "$keychain"
    echo "VELOX_NOTARY_PROFILE=velox" >>"$GITHUB_ENV"
    echo "VELOX_NOTARY_KEYCHAIN=$keychain" >>"$GITHUB_ENV"
fi
