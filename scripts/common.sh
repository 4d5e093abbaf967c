# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What the scripts share. Sourced, with bash; sets top and build, defines say, die, retry.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-build}
case $build in
/*) ;;
*) build=$top/$build ;;
esac
mkdir -p "$build"

say()
{
    printf '%s\n' "$*" >&2
}

die()
{
    say "${0##*/}: $*"
    exit 1
}

# retry TIMES COMMAND…: a mirror may stumble; a command that failed so often has failed.
retry()
{
    local times=$1 try
    shift
    for ((try = 1; try <= times; try++)); do
        "$@" && return 0
        [ "$try" = "$times" ] || sleep $((try * 3))
    done
    return 1
}

# locked NAME: this shell alone goes on from here; other runs wait (at most 30 minutes).
locked()
{
    mkdir -p "$build/lock"
    exec 9>"$build/lock/$1"
    flock -n 9 && return 0
    say "waiting for another run that holds $1"
    flock -w 1800 9 || die "another run has held $1 for 30 minutes"
}

unlock()
{
    exec 9>&-
}

as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "'$*' needs root, and sudo is not installed"
    fi
}

# The kernel series that the tests run on, oldest first.
all_series="5.10 6.1 6.12 7.3"
