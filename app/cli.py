"""The command ``velox``: reads its arguments and starts what they ask for.

Nothing heavy is imported before the arguments are known to be good.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from app.release import version
from velox_core.engine.checks import check_cache, check_sampling
from velox_core.engine.events import CacheSettings, SamplingParams
from velox_core.errors import VeloxError

_FAULT = 1
_BAD_INPUT = 2
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence instead of printing the usage."""

    def error(self, message: str) -> NoReturn:
        text = message.removeprefix("argument ").rstrip(".")
        say(f"{text[:1].upper()}{text[1:]}. Try '{self.prog} --help'.")
        raise SystemExit(_BAD_INPUT)


def run(arguments: Sequence[str]) -> int:
    """Run ``velox`` with ``arguments``.

    Returns:
        The exit status: 0 done, 1 failed, 2 bad input, 130 interrupted.
    """
    options = make_parser().parse_args(arguments)
    try:
        return _start(options)
    except VeloxError as error:
        say(str(error))
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        return _FAULT
    except Exception:
        import logging

        logging.getLogger(__name__).exception("velox failed")
        say("Something unexpected went wrong; the log file has the details.")
        return _FAULT


def say(message: str) -> None:
    """Tell a person something on stderr."""
    if sys.stderr is not None:
        print(message, file=sys.stderr)


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="velox",
        description="Chat with local models, in the memory you choose. Without a command: the "
        "window.",
    )
    parser.add_argument("--version", action="version", version=f"velox {version()}")
    parser.add_argument(
        "--self-test",
        action="store_true",
        help="load the starter model, generate past a small budget, check the result",
    )
    # For the tests of the packaged application.
    parser.add_argument("--check-imports", action="store_true", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_ask(commands)
    commands.add_parser(
        "models",
        help="list the models on this computer",
        description="List the models found on this computer: size, whether they fit, and which "
        "cache they can use.",
    )
    return parser


def _add_ask(commands: "argparse._SubParsersAction[_Parser]") -> None:
    ask = commands.add_parser(
        "ask",
        help="have a conversation without a window",
        description="Have a conversation without a window, one turn per PROMPT.",
    )
    cache, sampling = CacheSettings(), SamplingParams()
    ask.add_argument(
        "prompts",
        nargs="+",
        metavar="PROMPT",
        help="what you say, one turn each; - reads it from the standard input",
    )
    ask.add_argument(
        "--model", metavar="MODEL", help="a model's name or folder (default: the starter model)"
    )
    ask.add_argument(
        "--budget",
        type=_whole,
        default=cache.budget,
        metavar="N",
        help="tokens that the KV cache keeps in each layer (default: %(default)s)",
    )
    ask.add_argument(
        "--sinks",
        type=_whole,
        default=cache.n_sink,
        metavar="N",
        help="first tokens that are never evicted (default: %(default)s)",
    )
    ask.add_argument("--full", action="store_true", help="keep every token; evict nothing")
    ask.add_argument("--seed", type=_whole, metavar="N", help="repeat the same random choices")
    ask.add_argument(
        "--temp",
        type=_number,
        default=sampling.temperature,
        metavar="X",
        help="temperature; 0 always takes the likeliest token (default: %(default)s)",
    )
    ask.add_argument(
        "--max-tokens",
        type=_whole,
        default=sampling.max_tokens,
        metavar="N",
        help="longest reply in tokens (default: %(default)s)",
    )
    ask.add_argument("--system", default="", metavar="TEXT", help="a system prompt")
    ask.add_argument("--json", action="store_true", help="print one JSON object a turn")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _start(options: argparse.Namespace) -> int:
    if options.command == "ask":
        return _ask(options)
    from app.log import set_up_logging

    if options.command == "models":
        from app.model_table import print_models

        set_up_logging()
        return print_models()
    if options.self_test:
        set_up_logging()
        from app.self_test import run_self_test

        return run_self_test()
    if options.check_imports:
        return _check_imports()
    from app.main import run as run_window

    return run_window()


def _check_imports() -> int:
    """Print one line for each model file, configuration and tokenizer; 0 if any imported."""
    from velox_core.check_imports import check_imports

    outcomes = check_imports()
    print("\n".join(f"{outcome} {name}" for name, outcome in outcomes.items()))
    return 0 if "ok" in outcomes.values() else _FAULT


def _ask(options: argparse.Namespace) -> int:
    cache = CacheSettings(options.budget, options.sinks, bounded=not options.full)
    sampling = SamplingParams(
        temperature=options.temp, seed=options.seed, max_tokens=options.max_tokens
    )
    check_cache(cache)
    check_sampling(sampling)
    if not all(prompt.strip() for prompt in options.prompts):
        raise VeloxError("The prompt is empty; write what you want to ask.")
    from app.log import set_up_logging

    set_up_logging()
    from app.ask import ask

    return ask(
        options.prompts,
        model=options.model,
        system=options.system,
        sampling=sampling,
        cache=cache,
        as_json=options.json,
    )
