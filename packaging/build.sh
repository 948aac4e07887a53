#!/usr/bin/env bash
# Builds the Debian packages of a build folder in which all programs are built. Used by ./dev package and by their test.
# usage: build.sh BUILD_FOLDER OUTPUT_FOLDER [XZ_LEVEL, 6]
set -euo pipefail

source="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
build="$(cd "$1" && pwd -P)"
output="$2"

version="$(sed -nE 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")"
maintainer="$(sed -n 's/^Maintainer: //p' "$source/packaging/debian/control")"
# The date of the commit, not of the build, so that the same sources give the same packages.
date="$(git -C "$source" log -1 --format=%cD 2>/dev/null || date -R -d @0)"

rm -rf "$output"
mkdir -p "$output/tree"
cp -r "$source/packaging/debian" "$output/tree"
printf 'petrel (%s) stable; urgency=medium\n\n  * CHANGELOG.md of the sources lists the changes.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$date" >"$output/tree/debian/changelog"
cd "$output/tree"
PETREL_BUILD="$build" PETREL_XZ_LEVEL="${3:-6}" dpkg-buildpackage --build=binary --no-sign -d -nc
