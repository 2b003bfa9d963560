"""``python -m velox_core.bench NAME``: run a benchmark, write its JSON, PNG and tables."""

import argparse
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from velox_core.blas import import_mlx_lm

NAMES = ("tova-sweep", "quality", "recall", "speed", "endless")
ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "bench" / "results"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks named on the command line."""
    options = _parser().parse_args(arguments)
    import_mlx_lm()
    from velox_core.bench import charts, report, tables
    from velox_core.errors import VeloxError

    names = NAMES if options.name == "all" else (options.name,)
    benchmarks = _benchmarks(options)
    try:
        for name in names:
            result = benchmarks[name]()
            print(report.write_result(options.out, name, result))
            chart = charts.draw(options.out, name, result)
            print(chart or "No chart: matplotlib is not installed.")
    except VeloxError as error:
        print(error, file=sys.stderr)
        return 2
    if options.out == RESULTS:
        for name in tables.fill_documents(options.out, ROOT):
            print(f"filled the table {name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m velox_core.bench", description=__doc__)
    parser.add_argument("name", choices=(*NAMES, "all"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--model", type=Path, help="a model folder; default: the starter model")
    parser.add_argument("--text", type=Path, help="prose for perplexity; default: documentation")
    parser.add_argument("--rounds", type=int, default=5, help="alternations of each comparison")
    parser.add_argument("--tokens", type=int, default=1024, help="tokens for perplexity")
    parser.add_argument("--passages", type=int, default=3, help="passages for perplexity")
    parser.add_argument("--context", type=int, default=4096, help="tokens seen before speed")
    parser.add_argument("--conversations", type=int, default=20, help="conversations for recall")
    return parser


def _benchmarks(options: argparse.Namespace) -> dict[str, Callable[[], dict[str, Any]]]:
    import mlx.core as mx

    from velox_core.bench import endless, quality, recall, speed, tova_sweep
    from velox_core.bench.session import Session, open_session

    @cache
    def session() -> Session:
        return open_session(options.model)

    return {
        "tova-sweep": lambda: {
            "parts": [tova_sweep.run(options.rounds, dtype) for dtype in (mx.float16, mx.float32)]
        },
        "quality": lambda: quality.run(session(), options.tokens, options.passages, options.text),
        "recall": lambda: recall.run(session(), options.conversations),
        "speed": lambda: speed.run(session(), options.rounds, options.context),
        "endless": lambda: endless.run(session(), options.text),
    }


if __name__ == "__main__":
    raise SystemExit(main())
