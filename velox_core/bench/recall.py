"""A fact planted early in a long conversation and asked for at the end."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from velox_core.bench import report, variants
from velox_core.bench.measure import mean_interval
from velox_core.bench.prose import read_prose
from velox_core.bench.session import Session

BUDGETS = (64, 128, 256, 512)
N_CONVERSATIONS = 20
FILLER_TOKENS = 640
CHUNK = 128
NAMES = ("Amara", "Björn", "Chidi", "Daria", "Emeka", "Farah", "Goran", "Hana", "Ivo", "Jamila")


@dataclass(frozen=True)
class Planted:
    """A conversation as token ids, and the ids of the right answer."""

    prompt: list[int]
    answer: list[int]


def run(session: Session, n_conversations: int = N_CONVERSATIONS) -> dict[str, Any]:
    """Log-probability and exact match of the right answer, for each policy and budget."""
    conversations = planted(session.tokenizer, n_conversations)
    whole = _answers(session, variants.unbounded, 0, "unbounded", conversations)
    rows = [_row("unbounded", None, whole, whole)]
    for budget in BUDGETS:
        for name, make in variants.POLICIES.items():
            answers = _answers(session, make, budget, name, conversations)
            rows.append(_row(name, budget, answers, whole))
    return {"conversations": n_conversations, "rows": rows}


def planted(tokenizer: Any, n_conversations: int) -> list[Planted]:
    """Conversations that differ in the fact (a code or a name) and in the filler around it."""
    chooser = random.Random(7)
    paragraphs = read_prose().split("\n\n")
    made = []
    for number in range(n_conversations):
        if number % 2:
            answer = f"{chooser.randrange(1000, 10000)}"
            fact, question = f"The code of the safe is {answer}.", "What is the code of the safe?"
            lead = "The code of the safe is "
        else:
            answer = chooser.choice(NAMES)
            fact, question = f"My sister's name is {answer}.", "What is my sister's name?"
            lead = "Your sister's name is "
        filler = ""
        while len(tokenizer.encode(filler)) < FILLER_TOKENS:
            filler += chooser.choice(paragraphs) + "\n\n"
        turns = [
            {"role": "user", "content": f"Please remember this. {fact}"},
            {"role": "assistant", "content": f"I will remember it. {fact}"},
            {"role": "user", "content": f"Please read this text.\n\n{filler}"},
            {"role": "assistant", "content": "I have read the text."},
            {"role": "user", "content": question},
        ]
        rendered = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        prompt = tokenizer.encode(rendered + lead.rstrip(), add_special_tokens=False)
        whole = tokenizer.encode(rendered + lead + answer, add_special_tokens=False)
        made.append(Planted(prompt, whole[len(prompt) :]))
    return made


def answer_log_probability(
    model: Any, caches: variants.Caches, conversation: Planted
) -> tuple[float, bool]:
    """Natural log of the answer's probability, and whether greedy decoding gives it."""
    prompt = conversation.prompt
    for start in range(0, len(prompt) - 1, CHUNK):
        model(mx.array([prompt[start : min(start + CHUNK, len(prompt) - 1)]]), cache=caches)
        mx.eval([cache.state for cache in caches])
    total, is_exact, token = 0.0, True, prompt[-1]
    for following in conversation.answer:
        logits = model(mx.array([[token]]), cache=caches)[0, -1].astype(mx.float32)
        total += (logits[following] - mx.logsumexp(logits)).item()
        is_exact = is_exact and mx.argmax(logits).item() == following
        token = following
    return total, is_exact


def _answers(
    session: Session,
    make: variants.Maker,
    budget: int,
    name: str,
    conversations: Sequence[Planted],
) -> list[tuple[float, bool]]:
    answers = []
    with report.progress(f"recall: {name}, budget {budget or '∞'}", len(conversations)) as told:
        for conversation in conversations:
            caches = make(session.model, budget)
            answers.append(answer_log_probability(session.model, caches, conversation))
            told()
    return answers


def _row(
    name: str,
    budget: int | None,
    answers: Sequence[tuple[float, bool]],
    whole: Sequence[tuple[float, bool]],
) -> dict[str, Any]:
    mean, low, high = mean_interval([logprob for logprob, _ in answers])
    loss, loss_low, loss_high = mean_interval(
        [logprob - other for (logprob, _), (other, _) in zip(answers, whole, strict=True)]
    )
    return {
        "policy": name,
        "budget": budget,
        "log_probability": mean,
        "interval": [low, high],
        "against_unbounded": loss,
        "against_unbounded_interval": [loss_low, loss_high],
        "exact_match": sum(exact for _, exact in answers) / len(answers),
    }
