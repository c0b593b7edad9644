#!/bin/sh
# Builds ./dry-run with the system's C++ compiler; CXX and a target folder may be given: CXX=clang++ ./build.sh /tmp/out
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$here}
"${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror -o "$to/dry-run" "$here/dry-run.cpp"
