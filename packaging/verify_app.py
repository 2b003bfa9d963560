"""Examines a packaged Velox: ``python packaging/verify_app.py dist/Velox.app``.

Runs on any system, so that Linux can test what a Mac will sign. Prints one line for each fault and
exits with 1 if there is one.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from verify import code, contents, icons, info_plist, links, metallib, seals
from verify.bundle import Bundle

Check = Callable[[Bundle], Iterator[str]]

EVERYWHERE: tuple[Check, ...] = (
    links.check_links,
    links.check_modes,
    contents.check_size,
    contents.check_starter,
    contents.check_licences,
    contents.check_build_paths,
    contents.check_left_overs,
    contents.check_modules,
)
MACOS: tuple[Check, ...] = (
    info_plist.check_info_plist,
    icons.check_icons,
    links.check_layout,
    code.check_architecture,
    code.check_libraries,
    code.check_python,
    metallib.check_metallib,
    seals.check_signatures,
    seals.check_seal,
)


def verify(root: Path, build_roots: tuple[str, ...] = ()) -> list[str]:
    """Return every fault of the bundle at ``root``, one plain sentence each."""
    if not root.is_dir():
        return [f"{root} is not there"]
    bundle = Bundle(root.absolute(), build_roots)
    checks = EVERYWHERE + (MACOS if bundle.is_app else ())
    return [fault for check in checks for fault in check(bundle)]


def main() -> int:
    """Report the faults of the bundle named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument(
        "--build-root",
        action="append",
        default=[],
        help="a folder that no file may name (default: the checkout and the environment)",
    )
    arguments = parser.parse_args()
    roots = arguments.build_root or [str(Path(__file__).resolve().parent.parent), sys.prefix]
    faults = verify(arguments.bundle, tuple(roots))
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{arguments.bundle}: {len(faults) or 'no'} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
