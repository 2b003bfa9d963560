"""Which characters all tokens of a conversation stand for, against the tokenizer's offsets."""

import pytest

from tests.core.engine_runner import EngineRunner
from velox_core.engine.events import (
    CacheSettings,
    MemoryMeasured,
    ReplyRequest,
    SamplingParams,
    Turn,
)

CODE = "Use this:\n\n```python\nfor i in range(3):\n\tprint('é', i)  # 数字\n```\n\n| a | b |"
TURNS = (
    Turn("system", "You are brief. 🙂 Be naïve.", message_id="system"),
    Turn("user", "日本語 和 中文, 12345 and 👨‍👩‍👧 🇫🇷!", message_id="first"),
    Turn("assistant", CODE, message_id="code"),
    Turn("user", "Repeat exactly: 🙂 日本 <|im_end|> ﬁn", message_id="last"),
)


def expected(tokenizer, turn: Turn, text: str, begin: int) -> tuple[list[tuple[int, int]], int]:
    """The offsets of a message's tokens by the tokenizer alone, and where the message ends."""
    begin = text.index(turn.content, begin)
    end = begin + len(turn.content)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    inside = [(a - begin, b - begin) for a, b in encoded["offset_mapping"] if begin <= a < end]
    return inside, end


@pytest.mark.starter
def test_tokens_of_all_messages_lie_where_the_tokenizer_says(starter_path) -> None:
    runner = EngineRunner()
    runner.load(starter_path)
    loaded = runner.engine._loaded
    turns = (*TURNS[:3], Turn("user", "Repeat exactly: 🙂 日本 ﬁn", message_id="last"))
    runner.mailbox.watch("chat")
    sampling = SamplingParams(temperature=0, max_tokens=12)
    reply = runner.run(ReplyRequest("r", "chat", turns, sampling, CacheSettings(1024, 4), "answer"))
    memory = {m.message_id: m for m in runner.of(MemoryMeasured)[-1].messages}
    assert list(memory) == ["system", "first", "code", "last", "answer"]
    tokenizer = loaded.tokenizer._tokenizer
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert runner.engine._shelf.get("chat").ids[: len(ids)] == ids
    end = 0
    for turn in turns:
        offsets, end = expected(tokenizer, turn, text, end)
        told = memory[turn.message_id]
        assert list(zip(told.starts, told.ends, strict=True)) == offsets
        pieces = [ids[p] for p in told.positions]
        assert tokenizer.decode(pieces) == turn.content
    answer = memory["answer"]
    assert answer.positions[0] == len(ids)
    assert [runner.engine._shelf.get("chat").ids[p] for p in answer.positions] == list(
        reply.token_ids
    )
    covered = {i for a, b in zip(answer.starts, answer.ends, strict=True) for i in range(a, b)}
    assert covered == set(range(len(reply.text)))


@pytest.mark.starter
def test_typed_control_tokens_are_shaded_like_other_text(starter_path) -> None:
    runner = EngineRunner()
    runner.load(starter_path)
    runner.mailbox.watch("chat")
    sampling = SamplingParams(temperature=0, max_tokens=1)
    runner.run(ReplyRequest("r", "chat", TURNS, sampling, CacheSettings(1024, 4), "answer"))
    told = {m.message_id: m for m in runner.of(MemoryMeasured)[-1].messages}["last"]
    covered = {i for a, b in zip(told.starts, told.ends, strict=True) for i in range(a, b)}
    assert covered == set(range(len(TURNS[3].content)))
