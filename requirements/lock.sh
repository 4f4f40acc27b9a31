#!/bin/sh
# Compile the lock files: exact versions with hashes, for every Python we support, and no index address in them.
set -eu
cd "$(dirname "$0")/.."
for extra in demo dev; do
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
        --extra "$extra" pyproject.toml requirements/build.in --output-file "requirements/$extra.txt"
done
