"""Characters that must not reach a text layout as they are."""

_REPLACEMENT = 0xFFFD


def _table() -> dict[int, int]:
    table = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"}
    table |= {0x7F: 0x2421, 0x85: 0x20, 0x2028: 0x20, 0x2029: 0x20}
    # Overrides turn text around so that it reads as something else; Qt keeps U+FDD0 and U+FDD1 for
    # its own frames and U+FFFC for its objects; lone surrogates are no characters at all.
    table |= dict.fromkeys([0x202D, 0x202E, 0xFDD0, 0xFDD1, 0xFFFC], _REPLACEMENT)
    table |= dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT)
    return table


_TABLE = _table()


def clean(text: str) -> str:
    """Return ``text``, equally long, with every character that could disturb the layout replaced.

    Control characters become their pictures (``␀``), line ends become ``\\n``, and characters that
    override the writing direction become U+FFFD.
    """
    return text.replace("\r\n", " \n").replace("\r", "\n").translate(_TABLE)
