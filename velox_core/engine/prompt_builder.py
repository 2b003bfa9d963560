"""Joins template text and contents into a prompt's token ids, and notes where the contents lie."""

from dataclasses import dataclass, replace

from velox_core.engine.encoder import Encoder


@dataclass(frozen=True, slots=True)
class Span:
    """Where one turn's content lies: token ``start`` to ``end`` (excluded) of the prompt.

    Attributes:
        turn: Index of the turn.
        start: Position of the first token.
        end: Position behind the last token.
        starts: Per token, the index of its first character in the content.
        ends: Per token, the index behind its last character.
    """

    turn: int
    start: int
    end: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A whole prompt.

    Attributes:
        ids: The token ids.
        spans: Where the contents are in it.
        reply_start: Position where the reply begins: the end, or before it when a reply is
            continued.
    """

    ids: list[int]
    spans: tuple[Span, ...]
    reply_start: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a turn: characters ``start`` onwards of its content, or all its generated ids.

    A piece with ids and ``n_covered`` stands for that many pieces behind it too, if the template
    leaves them all in place. ``starts`` and ``ends`` are the characters of each id.
    """

    turn: int
    text: str
    start: int = 0
    ids: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    n_covered: int = 0


class PromptBuilder:
    """Joins template text and contents into runs between control tokens, and encodes those."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._ids: list[int] = []
        self._spans: list[Span] = []
        self._reply_start = 0
        self._before = ""
        self._text = ""
        self._marks: list[tuple[int, Piece]] = []

    def add_template_text(self, text: str) -> None:
        """Append the template's own text; control strings in it become control tokens."""
        for part, control_id in self._encoder.split_controls(text):
            if control_id is None:
                self._text += part
            else:
                self._flush(after=part)
                self._ids.append(control_id)
                self._before = part

    def add_piece(self, piece: Piece) -> None:
        """Append somebody's content."""
        if not piece.ids:
            self._marks.append((len(self._text), piece))
            self._text += piece.text
            return
        self._flush()
        start = len(self._ids)
        self._ids.extend(piece.ids)
        span = Span(piece.turn, start, len(self._ids), piece.starts, piece.ends)
        self._spans.append(span)

    def begin_reply(self) -> None:
        """Note that what comes from here on is the reply."""
        self._flush()
        self._reply_start = len(self._ids)

    def finish(self) -> Rendered:
        """The prompt."""
        self._flush()
        return Rendered(self._ids, tuple(self._spans), self._reply_start)

    def _flush(self, after: str = "") -> None:
        if self._text:
            run = self._encoder.encode_run(self._text, self._before, after)
            base = len(self._ids)
            self._ids.extend(run.ids)
            for offset, piece in self._marks:
                span = _span_of(run.starts, run.ends, offset, piece)
                moved = replace(span, start=span.start + base, end=span.end + base)
                self._spans.append(moved)
        self._before, self._text, self._marks = "", "", []


def _span_of(starts: list[int], ends: list[int], offset: int, piece: Piece) -> Span:
    """The tokens of a run that carry characters of ``piece``, which begins at ``offset``."""
    stop = offset + len(piece.text)
    inside = [n for n in range(len(starts)) if ends[n] > offset and starts[n] < stop]
    if not inside:
        return Span(piece.turn, 0, 0, (), ())
    shift = piece.start - offset
    return Span(
        piece.turn,
        inside[0],
        inside[-1] + 1,
        tuple(max(starts[n], offset) + shift for n in inside),
        tuple(min(ends[n], stop) + shift for n in inside),
    )
