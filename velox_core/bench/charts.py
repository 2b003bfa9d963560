"""The results as PNG charts (matplotlib, an optional extra)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

Axes = Any


def draw(folder: Path, name: str, result: dict[str, Any]) -> Path | None:
    """Draw the chart of one result into ``folder``; None where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    CHARTS[name](axes, result)
    axes.spines[["top", "right"]].set_visible(False)
    path = folder / f"{name}.png"
    figure.savefig(path)
    return path


def _quality(axes: Axes, result: dict[str, Any]) -> None:
    for policy in dict.fromkeys(row["policy"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["policy"] == policy]
        axes.plot([r["budget"] for r in rows], [r["ratio"] for r in rows], "o-", label=policy)
    axes.axhline(1, color="grey", linestyle="--", linewidth=1)
    _budget_axis(axes, [row["budget"] for row in result["rows"]])
    axes.set(ylabel="perplexity ÷ unbounded, same tokens", title="Perplexity against budget")
    axes.legend()


def _recall(axes: Axes, result: dict[str, Any]) -> None:
    bounded = [row for row in result["rows"] if row["budget"]]
    for policy in dict.fromkeys(row["policy"] for row in bounded):
        rows = [row for row in bounded if row["policy"] == policy]
        mean = [row["log_probability"] for row in rows]
        reach = [
            [m - row["interval"][0] for m, row in zip(mean, rows, strict=True)],
            [row["interval"][1] - m for m, row in zip(mean, rows, strict=True)],
        ]
        axes.errorbar(
            [r["budget"] for r in rows], mean, yerr=reach, fmt="o-", capsize=3, label=policy
        )
    whole = next(row for row in result["rows"] if not row["budget"])
    axes.axhline(whole["log_probability"], color="grey", linestyle="--", label="unbounded")
    _budget_axis(axes, [row["budget"] for row in bounded])
    axes.set(ylabel="log-probability of the answer", title="Recall of a planted fact")
    axes.legend()


def _speed(axes: Axes, result: dict[str, Any]) -> None:
    names = list(result["decode"])
    axes.barh(names, [result["decode"][name]["tps"] for name in names])
    axes.invert_yaxis()
    axes.set(
        xlabel="tokens/s on this machine",
        title=f"Decode after {result['context']:,} tokens, budget {result['budget']:,}",
    )


def _sweep(axes: Axes, result: dict[str, Any]) -> None:
    for part in result["parts"]:
        rows = [row for row in part["rows"] if row["n_sink"] == 4]
        for budget in dict.fromkeys(row["budget"] for row in rows):
            here = [row for row in rows if row["budget"] == budget]
            label = f"budget {budget}, {part['dtype']}"
            axes.plot([r["seq_len"] for r in here], [r["ms"] for r in here], "o-", label=label)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="tokens",
        ylabel="ms on this machine",
        title='"key" over a whole prompt, 8 heads × 128',
    )
    axes.legend(fontsize="small")


def _endless(axes: Axes, result: dict[str, Any]) -> None:
    labels = [f"{row['tokens'][0]:,}–{row['tokens'][1]:,}" for row in result["rows"]]
    width = 0.27
    for number, name in enumerate(("fresh", "endless", "positions grow")):
        places = [place + (number - 1) * width for place in range(len(labels))]
        axes.bar(places, [row[name] for row in result["rows"]], width, label=name)
    axes.set(
        yscale="log", xlabel="tokens seen", ylabel="perplexity", title="Past the trained window"
    )
    axes.set_xticks(range(len(labels)), labels)
    axes.legend()


def _budget_axis(axes: Axes, budgets: list[int]) -> None:
    ticks = sorted(set(budgets))
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xlabel("budget (tokens)")


CHARTS: dict[str, Callable[[Axes, dict[str, Any]], None]] = {
    "quality": _quality,
    "recall": _recall,
    "speed": _speed,
    "tova-sweep": _sweep,
    "endless": _endless,
}
"""Benchmark → the function that draws its result."""
