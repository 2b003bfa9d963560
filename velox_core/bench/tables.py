"""The tables of the documents, made from the results and from nothing else."""

from pathlib import Path
from typing import Any

from velox_core.bench.report import fill_table, markdown_table, read_result

DOCUMENTS = ("README.md", "docs/library.md")


def fill_documents(results: Path, root: Path) -> list[str]:
    """Fill every table whose result exists.

    Returns:
        The names of the results that went into a document.
    """
    filled = []
    for name, table in TABLES.items():
        result = read_result(results, name)
        if result is None:
            continue
        for document in DOCUMENTS:
            path = root / document
            if path.is_file() and fill_table(path, name, table(result)):
                filled.append(name)
    return filled


def _quality(result: dict[str, Any]) -> str:
    policies = list(dict.fromkeys(row["policy"] for row in result["rows"]))
    rows = []
    for budget in dict.fromkeys(row["budget"] for row in result["rows"]):
        here = {row["policy"]: row for row in result["rows"] if row["budget"] == budget}
        whole = next(iter(here.values()))["unbounded_perplexity"]
        cells = [f"{here[p]['perplexity']:.1f} ({here[p]['ratio']:.3f})" for p in policies]
        rows.append([f"{budget:,}", f"{whole:.1f}", *cells])
    return markdown_table(["budget", "unbounded", *policies], rows)


def _recall(result: dict[str, Any]) -> str:
    rows = []
    for row in result["rows"]:
        low, high = row["against_unbounded_interval"]
        rows.append(
            [
                row["policy"],
                f"{row['budget']:,}" if row["budget"] else "∞",
                f"{row['log_probability']:.2f}",
                f"{row['against_unbounded']:+.2f} [{low:+.2f}, {high:+.2f}]",
                f"{row['exact_match']:.0%}",
            ]
        )
    head = ["policy", "budget", "log-probability", "against unbounded (95 %)", "exact match"]
    return markdown_table(head, rows)


def _speed(result: dict[str, Any]) -> str:
    rows = []
    for name, row in result["decode"].items():
        before = result["prefill"].get(name) or result["prefill_once"].get(name, {})
        count = result["primitives"].get(name, {})
        rows.append(
            [
                name,
                _times(row.get("query_is_faster_by")),
                _times(before.get("query_is_faster_by")),
                str(count.get("primitives", "")),
                str(count.get("rows_copied", "")),
            ]
        )
    table = markdown_table(
        [
            "cache",
            '`"query"` decodes',
            '`"query"` prefills',
            "primitives a layer and step",
            "rows copied a step",
        ],
        rows,
    )
    memory, growth = result["peak_memory"], result["growth"]
    few, many = growth["seen"]
    return (
        f"{table}\n\nReading {memory['tokens']:,} tokens takes {memory['ratio']:.2f} times the "
        f"unbounded cache's peak memory (weights aside). After {many:,} tokens a token takes "
        f"{growth['seconds_ratio']:.2f} times as long as after {few:,}."
    )


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}× as fast"


def _sweep(result: dict[str, Any]) -> str:
    rows = []
    for part in result["parts"]:
        exact = sum(row["exact"] for row in part["rows"])
        speedup = part.get("geometric_mean_speedup")
        rows.append(
            [
                part["dtype"],
                f"{exact} of {len(part['rows'])}",
                f"{speedup:.1f}×" if speedup else "not measured",
            ]
        )
    return markdown_table(
        ["dtype", "ratio exactly seq_len / budget", "speed against the reference (geometric mean)"],
        rows,
    )


def _endless(result: dict[str, Any]) -> str:
    rows = [
        [
            f"{row['tokens'][0]:,} to {row['tokens'][1]:,}",
            f"{row['fresh']:.2f}",
            f"{row['endless']:.2f} ({row['ratio']:.3f})",
            f"{row['positions grow']:.2f}",
        ]
        for row in result["rows"]
    ]
    return markdown_table(["tokens", "fresh cache", "endless", "without"], rows)


TABLES = {
    "quality": _quality,
    "recall": _recall,
    "speed": _speed,
    "tova-sweep": _sweep,
    "endless": _endless,
}
"""Benchmark → the function that turns its result into a Markdown table."""
