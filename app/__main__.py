"""Entry point of ``velox`` and of the packaged application."""

import multiprocessing
import sys


def main() -> int:
    """Run the command line; the exit status."""
    # First: in the packaged application a child process would open a second window otherwise.
    multiprocessing.freeze_support()
    from app.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())
