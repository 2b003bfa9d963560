"""Code is told apart by what its words are."""

from app.markdown.highlight import highlight, lexer_for


def test_roles_of_python_code():
    code = 'def f(x):  # note\n    return "s" + 1\n'
    roles = {code[at : at + size]: role for at, size, role in highlight(code, "python")}
    assert roles["def"] == "keyword"
    assert roles["f"] == "name"
    assert roles["# note"] == "comment"
    assert roles["1"] == "number"
    assert roles["x"] is None


def test_tokens_cover_the_code_without_gaps():
    code = "\n\nint main() { return 0; }\n"
    assert "".join(code[at : at + size] for at, size, _ in highlight(code, "C")) == code


def test_unknown_language_stays_plain():
    assert lexer_for("no-such-language") is None
    assert list(highlight("x = 1", "no-such-language")) == []
    assert list(highlight("x = 1", "")) == []
