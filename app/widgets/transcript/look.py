"""Formats and measures of the transcript, for one palette and one text size."""

from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextLength,
    QTextTableFormat,
)

from app.markdown.highlight import CodeRole
from app.markdown.model import Block, Style
from app.widgets import theme

BUBBLE_SHARE = 0.7
BUBBLE_PADDING_X, BUBBLE_PADDING_Y = 14, 8
MESSAGE_GAP = 18
CODE_PADDING_X, CODE_PADDING_Y = 13, 11
INDENT = 24
LINE_HEIGHT, CODE_LINE_HEIGHT = 20, 18
TAB_CHARS = 4
HANGING_CHARS = 4  # what a row that goes on is moved in, beyond where its line begins
_MOST_OWN = 12  # deeper code would leave no room in a narrow window
HEADINGS = {1: 1.5, 2: 1.3, 3: 1.15}

# Properties of text blocks that the painter reads.
KIND = QTextFormat.Property.UserProperty + 1
MARKER = KIND + 1
QUOTES = KIND + 2
LANGUAGE = KIND + 3
FIRST = KIND + 4

_CODE_HUES: dict[CodeRole, tuple[str, str]] = {
    "keyword": ("#9b2393", "#ff7ab2"),
    "string": ("#b3261e", "#ff8170"),
    "comment": ("#5d6c79", "#8a99a6"),
    "number": ("#1c00cf", "#d9c97c"),
    "name": ("#0b5c8a", "#78c2f0"),
}


def hanging_chars(line: str) -> int:
    """Return how many characters the second row of a wrapped line of code is moved in."""
    code = line.expandtabs(TAB_CHARS)
    own = len(code) - len(code.lstrip(" "))
    return min(own, _MOST_OWN) + HANGING_CHARS


class Look:
    """Everything that depends on palette and text size; built anew when either changes."""

    def __init__(self, palette: QPalette, scale: float = 1.0, is_quiet: bool = False) -> None:
        self._palette = palette
        self.colours = theme.colours(palette)
        self.text = self._readable(self.colours.secondary) if is_quiet else self.colours.text
        self.scale = scale
        self.unit = scale * theme.text_scale()

    def px(self, value: float) -> int:
        """Return a measure of the usual text size at this one."""
        return round(value * self.unit)

    def font(
        self, size: float = theme.BODY_SIZE, weight: QFont.Weight = QFont.Weight.Normal
    ) -> QFont:
        """Return the interface font."""
        return theme.font(size * self.scale, weight)

    @cached_property
    def quiet(self) -> "Look":
        """The same with grey text."""
        return Look(self._palette, self.scale, is_quiet=True)

    @cached_property
    def body_font(self) -> QFont:
        """The font of running text."""
        return self.font()

    @cached_property
    def code_font(self) -> QFont:
        """The font of code."""
        return theme.fixed_font(theme.CODE_SIZE * self.scale)

    @cached_property
    def small_font(self) -> QFont:
        """The font of the line under a reply."""
        return self.font(theme.SMALL_SIZE)

    @cached_property
    def label_font(self) -> QFont:
        """The font of the label and the button of a code box."""
        return theme.fixed_font(theme.SMALL_SIZE * self.scale)

    @cached_property
    def label_width(self) -> int:
        """Room for the language label and the Copy button of a code box."""
        return round(QFontMetricsF(self.label_font).horizontalAdvance("javascript  Copied"))

    @cached_property
    def button_width(self) -> int:
        """Room for the Copy button alone."""
        return round(QFontMetricsF(self.label_font).horizontalAdvance("Copy"))

    @cached_property
    def code_tab(self) -> float:
        """The width of a space in code."""
        return QFontMetricsF(self.code_font).horizontalAdvance(" ")

    @cached_property
    def found(self) -> QColor:
        """The mark behind what was looked for."""
        return QColor("#7a5c00" if self.colours.is_dark else "#ffd84d")

    @cached_property
    def code_formats(self) -> dict[CodeRole, QTextCharFormat]:
        """Colours of code, readable on the code background."""
        formats = {}
        for role, hues in _CODE_HUES.items():
            colour = QColor(hues[self.colours.is_dark])
            formats[role] = QTextCharFormat()
            colour = theme.ensure_contrast(colour, self.colours.code, theme.TEXT_CONTRAST)
            formats[role].setForeground(self._readable(colour))
        return formats

    def _readable(self, colour: QColor) -> QColor:
        """Return ``colour`` for text that may be shaded as remembered."""
        return theme.ensure_contrast(colour, self.colours.remembered, theme.TEXT_CONTRAST)

    @cached_property
    def _chars(self) -> dict[tuple[Style, str, int], QTextCharFormat]:
        return {}

    def char_format(self, style: Style, block: Block, href: str = "") -> QTextCharFormat:
        """Return the format of characters in ``block``."""
        key = (style, block.kind, block.level)
        found = self._chars.get(key)
        if found is None:
            found = self._chars[key] = self._make_char_format(style, block)
        if not href:
            return found
        link = QTextCharFormat(found)
        link.setAnchor(True)
        link.setAnchorHref(href)
        link.setForeground(self._readable(self.colours.accent_text))
        link.setFontUnderline(True)
        return link

    def _make_char_format(self, style: Style, block: Block) -> QTextCharFormat:
        result = QTextCharFormat()
        result.setForeground(self.text)
        size = theme.BODY_SIZE * HEADINGS.get(block.level, 1.0)
        bold = bool(style & Style.BOLD) or block.kind == "heading"
        if style & Style.CODE or block.kind == "code":
            result.setFont(theme.fixed_font(theme.CODE_SIZE * size / theme.BODY_SIZE * self.scale))
            if block.kind != "code":
                # Translucent, for the shade of what is remembered lies under it.
                ground = QColor(self.text)
                ground.setAlphaF(0.08)
                result.setBackground(ground)
        else:
            result.setFont(self.font(size + 2 * (block.kind == "math")))
        result.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        result.setFontItalic(bool(style & Style.ITALIC))
        result.setFontStrikeOut(bool(style & Style.STRIKE))
        return result

    def code_margin(self, is_first: bool, is_narrow: bool) -> int:
        """Return the room at the right of a line of code; the first leaves some for the label."""
        room = (self.button_width if is_narrow else self.label_width) if is_first else 0
        return self.px(CODE_PADDING_X) + room

    def block_format(
        self, block: Block, before: Block | None, is_narrow: bool = False
    ) -> QTextBlockFormat:
        """Return the format of ``block`` when it follows ``before`` in a text ever so narrow."""
        result = QTextBlockFormat()
        is_code = block.kind == "code"
        height = CODE_LINE_HEIGHT if is_code else LINE_HEIGHT
        minimum = QTextBlockFormat.LineHeightTypes.MinimumHeight
        result.setLineHeight(self.px(height), minimum.value)
        result.setTopMargin(self.px(self._gap(block, before)))
        result.setIndent(block.indent)
        result.setProperty(KIND, block.kind)
        if block.quotes:
            result.setProperty(QUOTES, ",".join(map(str, block.quotes)))
        if block.marker:
            result.setProperty(MARKER, block.marker)
        if is_code:
            hang = self.code_tab * hanging_chars(block.text)
            result.setLeftMargin(self.px(CODE_PADDING_X) + hang)
            result.setTextIndent(-hang)
            result.setRightMargin(self.code_margin(block.first, is_narrow))
            result.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            result.setProperty(LANGUAGE, block.language)
            result.setProperty(FIRST, block.first)
        if block.kind == "math":
            result.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        if block.kind == "heading":
            result.setHeadingLevel(block.level)
        return result

    def table_format(self, block: Block, is_rtl: bool) -> QTextTableFormat:
        """Return the format of a table, which stands at the side where its lines begin."""
        result = QTextTableFormat()
        result.setBorderCollapse(True)
        result.setBorder(1)
        result.setBorderBrush(self.colours.border)
        result.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
        result.setCellPadding(self.px(5))
        result.setCellSpacing(0)
        result.setTopMargin(self.px(8))
        result.setBottomMargin(self.px(2))
        if is_rtl:
            result.setAlignment(Qt.AlignmentFlag.AlignRight)
            result.setRightMargin(self.px(INDENT * block.indent))
        else:
            result.setLeftMargin(self.px(INDENT * block.indent))
        result.setHeaderRowCount(1)
        result.setWidth(QTextLength())
        return result

    def _gap(self, block: Block, before: Block | None) -> float:
        """Return the space above ``block``."""
        if before is None:
            return CODE_PADDING_Y if block.kind == "code" else 0
        if before.kind == "code" and block.kind == "code" and not block.first:
            return 0
        gap = 8.0
        if block.kind == "line":
            return 0
        if block.kind == "heading":
            gap = 16
        elif before.kind == "heading":
            gap = 6
        elif block.marker and before.indent:
            gap = 4
        gap += CODE_PADDING_Y * (block.kind == "code")
        return gap + CODE_PADDING_Y * (before.kind == "code")
