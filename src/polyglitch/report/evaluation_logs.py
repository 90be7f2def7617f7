"""Findings as other evaluation tools write them, for their viewers: the log of Inspect, the results of promptfoo.

A sample is a violated case: the follow-up as it was asked, its answer, and why the claims of the two answers part.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

from polyglitch.records import Input, Output, Trial, Verdict, digest
from polyglitch.results.findings import Finding, ReportLimits, Summary

SCORER = "polyglitch"


def violations(findings: Iterable[Finding]) -> Iterator[tuple[Trial, Verdict]]:
    """Every violated case."""
    for finding in findings:
        yield from finding.violations


def inspect_log(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """A log of Inspect (`inspect view`), as one JSON object."""
    when = moment(summary)
    samples = [
        inspect_sample(number, trial, verdict, summary.system)
        for number, (trial, verdict) in enumerate(violations(findings), 1)
    ]
    decided = summary.cases - summary.undecided
    share = 1 - summary.violations / decided if decided else 0.0
    metric = {"name": "holds", "value": round(share, 4)}
    score = {"name": SCORER, "scorer": SCORER, "metrics": {"holds": metric}}
    name = digest([summary.signature])
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": name,
            "run_id": name,
            "task_id": name,
            "created": when,
            "task": summary.title,
            "dataset": {"name": summary.title, "samples": len(samples)},
            "model": summary.system,
            "config": {},
            "metadata": {"signature": summary.signature, "command": summary.command},
        },
        "plan": {"name": "plan", "steps": [], "config": {}},  # its viewer asks for one
        "results": {
            "total_samples": len(samples),
            "completed_samples": len(samples),
            "scores": [score],
        },
        "stats": {"started_at": when, "completed_at": when},
        "samples": samples,
    }
    yield json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def inspect_sample(number: int, trial: Trial, verdict: Verdict, system: str) -> dict[str, Any]:
    """One violated case as a sample."""
    original, asked = pair(trial)
    answered = trial.outputs[-1]
    said = {"role": "assistant", "content": answered.said}
    chat = messages(asked)
    return {
        "id": number,
        "epoch": 1,
        "input": chat,
        "target": trial.outputs[0].said,
        "messages": [*chat, said],
        "output": {"model": system, "choices": [{"message": said, "stop_reason": "stop"}]},
        "scores": {
            SCORER: {"value": "I", "answer": answered.said, "explanation": explained(verdict)}
        },
        "metadata": about(trial, original),
    }


def promptfoo_results(
    summary: Summary, findings: Iterable[Finding], limits: ReportLimits
) -> Iterator[str]:
    """Results as promptfoo writes them (`promptfoo import`), as one JSON object."""
    when = moment(summary)
    prompt = {"raw": "{{input}}", "label": summary.title, "provider": summary.system}
    numbers = count()
    rows = [
        promptfoo_row(next(numbers), trial, verdict, summary.system, prompt)
        for trial, verdict in violations(findings)
    ]
    held = summary.cases - summary.undecided - summary.violations
    tokens = {
        "prompt": summary.tokens.get("read", 0),
        "completion": summary.tokens.get("written", 0),
    }
    stats = {
        "successes": held,
        "failures": summary.violations,
        "errors": summary.errors,
        "tokenUsage": tokens,
    }
    metrics = {
        "score": 0,
        "testPassCount": 0,
        "testFailCount": len(rows),
        "testErrorCount": 0,
        "assertPassCount": 0,
        "assertFailCount": len(rows),
        "totalLatencyMs": sum(row["latencyMs"] for row in rows),
        "tokenUsage": tokens,
        "namedScores": {},
        "namedScoresCount": {},
        "cost": summary.cost,
    }
    results = {
        "version": 3,
        "timestamp": when,
        "prompts": [{**prompt, "id": digest([summary.title]), "metrics": metrics}],
        "results": rows,
        "stats": stats,
    }
    whole = {
        "evalId": f"eval-{digest([summary.signature], 6)}-{when[:19]}",
        "results": results,
        "config": {
            "description": summary.title,
            "prompts": ["{{input}}"],
            "providers": [summary.system],
            "tests": [{"vars": row["vars"]} for row in rows],
        },
        "shareableUrl": None,
        "metadata": {"evaluationCreatedAt": when, "author": None},
    }
    yield json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def promptfoo_row(
    number: int, trial: Trial, verdict: Verdict, system: str, prompt: dict[str, Any]
) -> dict[str, Any]:
    """One violated case as a result."""
    original, asked = pair(trial)
    answered: Output = trial.outputs[-1]
    told = {"pass": False, "score": 0, "reason": explained(verdict)}
    vars = {"input": asked.text, "original": original.text, **asked.values}
    return {
        "id": trial.case.id,
        "promptIdx": 0,
        "testIdx": number,
        "testCase": {"vars": vars, "assert": [], "metadata": about(trial, original)},
        "promptId": digest([prompt["label"]]),
        "provider": {"id": system, "label": ""},
        "prompt": {
            "raw": json.dumps(messages(asked), ensure_ascii=False),
            "label": prompt["label"],
        },
        "vars": vars,
        "response": {"output": answered.said},
        "success": False,
        "failureReason": 1,  # an assertion, not an error
        "score": 0,
        "latencyMs": round(answered.seconds * 1000),
        "cost": 0,
        "namedScores": {},
        "gradingResult": {**told, "componentResults": [told]},
        "metadata": about(trial, original),
    }


def pair(trial: Trial) -> tuple[Input, Input]:
    """The original and the follow-up; a lone input is both."""
    return trial.case.inputs[0], trial.case.inputs[-1]


def messages(item: Input) -> list[dict[str, str]]:
    """An input as the chat it is part of."""
    chat = [{"role": turn.role, "content": turn.text} for turn in item.turns]
    asked = f"{item.context}\n\n{item.text}" if item.context else item.text
    return [*chat, {"role": "user", "content": asked}]


def about(trial: Trial, original: Input) -> dict[str, Any]:
    """What tells how a case came about."""
    return {
        "relation": trial.case.relation,
        "method": trial.case.method,
        "case": trial.case.id,
        "original": original.text,
        "original_answer": trial.outputs[0].said,
    }


def explained(verdict: Verdict) -> str:
    """Why a case is violated."""
    return "; ".join(dict.fromkeys(filter(None, (*verdict.reasons, verdict.reason))))


def moment(summary: Summary) -> str:
    """When the run was made, with its time zone."""
    try:
        when = datetime.fromisoformat(summary.created)
    except ValueError:
        when = datetime.now(UTC)
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).isoformat()
