"""Reading and writing small JSON files so that no crash leaves half of one."""

import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)


def read_json(path: Path) -> Any:
    """What is in the file; None when there is none or it is no JSON.

    A file that is no JSON is moved aside, so that nothing overwrites it.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        logger.warning("Cannot read %s: %s", path, error)
        return None
    except (ValueError, RecursionError) as error:
        logger.warning("%s is damaged (%s); it is set aside and defaults are used", path, error)
        _move_aside(path)
        return None


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` in one step: after a crash the file is the old or the new one.

    Raises:
        OSError: The folder or the disk does not take it; the old file is untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=path.name, suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _move_aside(path: Path) -> None:
    for number in range(1, 1000):
        aside = path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")
        if not aside.exists():
            try:
                path.rename(aside)
            except OSError as error:
                logger.warning("Cannot set %s aside: %s", path, error)
            return
