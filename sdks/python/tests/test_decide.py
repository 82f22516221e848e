"""decide() and what is beside it, against contract/vectors/client-decisions.json."""

from __future__ import annotations

from typing import Any

import pytest
from support import vectors

from acuse import _decide
from acuse._decide import Outcome
from acuse._engine import Budget


def _outcome(given: dict[str, Any]) -> Outcome:
    return Outcome(given["kind"], given.get("status"), given.get("code"))


def test_decides_as_all_languages_do() -> None:
    cases = vectors("client-decisions.json")["decisions"]
    assert len(cases) > 300
    for case in cases:
        given = case["in"]
        decision = _decide.decide(
            given["class"],
            _outcome(given["outcome"]),
            given["attempt"],
            given["headers"],
            given["u"],
            given["budget"],
            given["time_left"],
            max_retries=given["max_retries"],
            now=given["now"],
        )
        assert vars(decision) == case["out"], case["name"]


def test_reads_retry_after_as_all_languages_do() -> None:
    for case in vectors("client-decisions.json")["retry_after"]:
        assert _decide.retry_after_ms({"Retry-After": case["value"]}, case["now"]) == case["ms"], case


def test_waits_as_long_as_all_languages_do() -> None:
    for case in vectors("client-decisions.json")["delays"]:
        assert _decide.delay_ms(case["retry"], case["u"], None) == case["delay"], case


def test_keeps_its_budget_as_all_languages_do() -> None:
    for case in vectors("client-decisions.json")["budgets"]:
        budget, spent = Budget(), 0
        budget.take(_decide.BUDGET - case["start"])
        for event in case["events"]:
            if event["event"].startswith("ok"):
                budget.succeed(spent if event["event"] == "ok after retry" else 0)
                spent = 0
            else:
                cost = _decide.retry_cost(
                    Outcome("timeout" if event["event"] == "timeout" else "lost_answer")
                )
                assert budget.take(cost) is event["paid"], case["name"]
                spent += cost if event["paid"] else 0
            assert budget.tokens == event["budget"], case["name"]


def test_takes_a_404_for_a_deletion_where_all_languages_do() -> None:
    for case in vectors("client-decisions.json")["deletions"]:
        ended = _decide.deletion_succeeded([_outcome(each) for each in case["outcomes"]])
        assert ended is (case["ended"] == "deleted"), case["name"]


def test_the_constants_are_the_vectors_own() -> None:
    constants = vectors("client-decisions.json")["constants"]
    assert constants == {
        "first_delay_ms": _decide.BASE_DELAY_MS,
        "delay_max_ms": _decide.MAX_DELAY_MS,
        "retry_after_max_ms": _decide.MAX_RETRY_AFTER_MS,
        "budget_max": _decide.BUDGET,
        "retry_cost": _decide.RETRY_COST,
        "retry_after_timeout_cost": _decide.TIMEOUT_COST,
        "success_gain": _decide.SUCCESS_GAIN,
        "max_retries": _decide.MAX_RETRIES,
    }


@pytest.mark.parametrize("kind", ["cancelled", "tls", "malformed"])
def test_never_repeats_what_would_fail_again(kind: Any) -> None:
    assert not _decide.decide("safe", Outcome(kind), 1, {}, 0, 500, 1e6).retry
