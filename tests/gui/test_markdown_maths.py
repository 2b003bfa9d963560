"""Formulas read as text, and nothing inside them is taken for Markdown."""

import pytest

from app.markdown.blocks import parse_blocks
from app.markdown.latex_text import MAX_LATEX, readable
from app.markdown.model import Style


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\alpha_i^2 + \beta", "αᵢ² + β"),
        (r"\frac{a}{b} \le \frac{x+1}{2}", "a/b ≤ (x+1)/2"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"\sqrt{x} \to \mathbb{R}", "√(x) → ℝ"),
        (r"\text{softmax}\left(x\right)", "softmax(x)"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "[ a b\nc d ]"),
        (r"\unknownmacro{x}", r"\unknownmacro{x}"),
        (r"\sum_{i=1}^{n} x_i \iff \int_0^\infty e^{-x^2} dx", "∑ᵢ₌₁ⁿ xᵢ ⇔ ∫₀^∞ e^(-x²) dx"),
        (r"\hat{y} \vec{v} \mathbf{x} a_{ij} x^{n+1}", "ŷ v⃗ 𝐱 aᵢⱼ xⁿ⁺¹"),
        (r"x = \frac{-b \pm \sqrt{b^2}}{2a}, 90^\circ", "x = (-b ± √(b²))/(2a), 90°"),
        (r"\lim_{x \to 0} \frac{\rho}{\varepsilon_0}", "lim_(x → 0) ρ/ε₀"),
        (r"\log x \neq \sin\theta, \{1, 2\}", "log x ≠ sinθ, {1, 2}"),
        (r"\alpha x \cdot f'(x) \ldots", "αx · f'(x) …"),
    ],
)
def test_latex_reads_as_text(latex, text):
    assert readable(latex) == text


@pytest.mark.parametrize(
    "source", ["$a_i * b_j * c$", r"\(a_i * b_j * c\)", "$$a_i * b_j * c$$", r"\[a_i * b_j * c\]"]
)
def test_no_underscore_or_star_is_eaten_in_a_formula(source):
    for text in (source, f"before {source} after"):
        runs = [run for block in parse_blocks(text) for run in block.runs]
        formula = next(run for run in runs if run.style & Style.MATH)
        assert formula.text == "aᵢ * bⱼ * c"
        assert text[formula.start : formula.start + formula.length] == source
        assert not any(run.style & Style.ITALIC for run in runs)


def test_block_formula_spans_lines():
    source = "so\n\n$$\nx_1 +\nx_2\n$$\n\nthen\n"
    blocks = parse_blocks(source)
    assert [block.kind for block in blocks] == ["paragraph", "math", "paragraph"]
    assert blocks[1].text == "x₁ +\nx₂"


@pytest.mark.parametrize("source", ["costs $5 and $10", "a $ b $ c", "$$", "$$\nnever closed\n\nx"])
def test_lone_dollars_stay_text(source):
    blocks = parse_blocks(source)
    assert not any(run.style & Style.MATH for block in blocks for run in block.runs)
    assert "".join(block.text for block in blocks) == source.replace("\n\n", "")


def test_unclosed_formula_waits_while_text_is_to_come():
    (block,) = parse_blocks("$$\nx_1\n", is_open=True)
    assert block.kind == "math"


def test_very_long_formula_stays_latex():
    latex = r"\frac{a}{b}" * (MAX_LATEX // 10)
    assert readable(latex) == latex
