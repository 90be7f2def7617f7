#!/usr/bin/env bash
# What the action does, as a script that runs anywhere: install, run, summarise, compare with the base branch's run.
# Reads SYSTEM, CORPUS, METHODS, ARGUMENTS, FAIL_UNDER; installs PROJECT with EXTRAS unless `polyglitch` is there already.
set -euo pipefail
folder=.polyglitch
mkdir -p "$folder"
if ! command -v polyglitch >/dev/null; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/python" -m pip -q install -c "$PROJECT/constraints.txt" "$PROJECT[${EXTRAS:-nlp}]"
    PATH="$PWD/$folder/venv/bin:$PATH"
fi
# The store of the run before, the base branch's where this branch has none, is what the new one is compared with.
if [ -f "$folder/runs.sqlite" ]; then cp "$folder/runs.sqlite" "$folder/base.sqlite"; fi
read -r -a more <<<"${ARGUMENTS:-}"
code=0
polyglitch run --system "$SYSTEM" --corpus "$CORPUS" --method "$METHODS" "${more[@]}" --store "$folder/runs.sqlite" \
    --fail-under "${FAIL_UNDER:-0.95}" -o "$folder/report.html" -o "$folder/summary.md" -q || code=$?
if [ -f "$folder/summary.md" ]; then cat "$folder/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"; fi
if [ -f "$folder/base.sqlite" ] && [ -f "$folder/summary.md" ]; then
    {
        echo "### Polyglitch: this change against the run before"
        echo '```'
        polyglitch compare "$folder/base.sqlite:" "$folder/runs.sqlite:" || true
        echo '```'
    } >"$folder/difference.md"
fi
exit "$code"
