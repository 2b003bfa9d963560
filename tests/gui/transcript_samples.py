"""Messages like those of real chats."""

from app.models.message_view import MessageView

SECTION = """## Section {n}

Here is *some* **explanation** with `code`, a [link](https://example.org/{n}) and $x_{n}^2$.
It goes on for a second line, so that it wraps as paragraphs of real replies do, again and again.

1. first point
2. second point
   - with a detail
   - and another one

```python
def function_{n}(value: int) -> str:
    \"\"\"Return the value as text.\"\"\"
    for index in range({n}):
        value += index * 2  # add
    return f"{{value}}"
```

| name | value |
|------|------:|
| a    | {n}   |
| b    | 2     |

> A quotation that says the same once more.

"""


def long_reply(size: int) -> str:
    """About ``size`` characters of Markdown of all kinds."""
    parts, total, n = [], 0, 0
    while total < size:
        n += 1
        parts.append(SECTION.format(n=n))
        total += len(parts[-1])
    return "".join(parts)[:size]


def chat(count: int) -> list[MessageView]:
    """A chat of ``count`` messages."""
    messages = []
    for n in range(count):
        role = "user" if n % 2 == 0 else "assistant"
        text = f"Question {n}: how does it work?" if role == "user" else SECTION.format(n=n)
        stats = () if role == "user" else ("34.2 tok/s", "first token 0.31 s")
        messages.append(MessageView(f"m{n}", role, text, stats=stats, remembered=0.41))
    return messages
