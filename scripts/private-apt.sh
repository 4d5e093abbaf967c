# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# apt for suites that are not this machine's own: private lists and an empty package
# database below build/apt/, so that the machine's apt is not touched. Needs common.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# private_apt SUITES COMMAND…: SUITES is a comma-separated list; COMMAND an apt-get or
# apt-cache command line.
private_apt()
{
    local suites=$1 command=$2 state=$build/apt/${1//,/+}
    shift 2
    "$command" \
        -o Dir::State="$state" -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" \
        -o Dir::Cache="$state/cache" -o Dir::Etc::sourcelist="$state/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
        -o APT::Default-Release= -o APT::Architecture=amd64 -o APT::Architectures::=amd64 \
        -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Acquire::Languages=none \
        -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false -o APT::Get::List-Cleanup=false \
        -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false \
        -o Acquire::IndexTargets::deb-src::Sources::DefaultEnabled=false \
        -o Debug::NoLocking=true -o quiet=2 "$@"
}

# private_update SUITES: fetches the indexes, once in six hours. Fails if no suite could be had.
private_update()
{
    local suites=$1 state=$build/apt/${1//,/+} suite mirror
    if [ -n "$(find "$state/updated" -mmin -360 2>/dev/null)" ]; then
        return 0
    fi
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    : >"$state/status"
    : >"$state/sources.list"
    for suite in ${suites//,/ }; do
        case $suite in
        *-security) mirror=$("$top/scripts/mirror.sh" security) || continue ;;
        *) mirror=$("$top/scripts/mirror.sh" main) || continue ;;
        esac
        echo "deb [signed-by=$keyring] $mirror $suite main" >>"$state/sources.list"
    done
    # One suite may be gone from the mirror while another still stands: judge by what arrived.
    retry 3 private_apt "$suites" apt-get update 2>"$state/update.log" || true
    if ! ls "$state"/lists/*_Packages* >/dev/null 2>&1; then
        sed 's/^/apt: /' "$state/update.log" >&2
        return 1
    fi
    touch "$state/updated"
}

# unpack DEB… DIRECTORY
unpack()
{
    local into=${*: -1} deb
    mkdir -p "$into"
    for deb in "${@:1:$#-1}"; do
        dpkg -x "$deb" "$into"
    done
}
