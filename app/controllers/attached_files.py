"""Reading text files that a person attaches."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication

MAX_NBYTES = 4_000_000


def read_text_files(paths: Sequence[Path]) -> tuple[list[tuple[str, str]], list[str]]:
    """Read files.

    Returns:
        Names with texts, and one plain sentence for each file that cannot be attached.
    """
    texts, refused = [], []
    for path in paths:
        try:
            texts.append((path.name, _read(path)))
        except _RefusedError as error:
            refused.append(str(error))
        except OSError as error:
            sentence = _tr("{name} could not be read ({reason}).")
            reason = error.strerror or _tr("unknown reason")
            refused.append(sentence.format(name=path.name, reason=reason))
    return texts, refused


class _RefusedError(Exception):
    pass


def _read(path: Path) -> str:
    if path.is_dir():
        raise _RefusedError(_tr("{name} is a folder; attach files.").format(name=path.name))
    if not path.is_file():
        raise _RefusedError(_tr("{name} is not a file.").format(name=path.name))
    if path.stat().st_size > MAX_NBYTES:
        raise _RefusedError(
            _tr("{name} is larger than {n} MB; attach a part of it.").format(
                name=path.name, n=MAX_NBYTES // 1_000_000
            )
        )
    content = path.read_bytes()
    not_text = _tr("{name} is not a text file.").format(name=path.name)
    for bom, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(bom):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError as error:
                raise _RefusedError(not_text) from error
    if b"\0" in content:
        raise _RefusedError(not_text)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Old files of Windows; every byte means some character there.
        return content.decode("cp1252", errors="replace")


def _tr(text: str) -> str:
    return QCoreApplication.translate("AttachedFiles", text)
