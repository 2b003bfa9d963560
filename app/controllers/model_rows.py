"""Models found on disk, in the words of the models window."""

import dataclasses

from PySide6.QtCore import QCoreApplication

from app.models.formats import format_bytes, format_count
from app.models.model_row import ModelRow, RowAction
from velox_core.models.discover import FoundModel
from velox_core.models.fit import Fit
from velox_core.models.model_folder import ModelFacts
from velox_core.models.progress import DownloadProgress
from velox_core.models.suggestions import Suggestion


def row_of(model: FoundModel, budget: int) -> ModelRow:
    """Return the row of a model that nothing happens with."""
    fit = model.fit(budget)
    return ModelRow(
        key=model.path,
        title=model.name,
        detail=" · ".join(_facts(model)),
        fit=fit_text(fit) if fit else "",
        level=fit.verdict if fit else "",
        problem=model.problem or "",
        actions=() if model.problem else ("load",),
        details_tip=model.path,
    )


def suggestion_row(suggestion: Suggestion, budget: int) -> ModelRow:
    """Return the row of a model that could be downloaded."""
    fit = suggestion.fit(budget)
    facts = (
        format_bytes(suggestion.facts.weights_nbytes),
        suggestion.facts.quantization,
        _window(suggestion.facts),
        _tr("{name} licence").format(name=suggestion.licence),
    )
    return ModelRow(
        key=suggestion.repository,
        title=suggestion.title,
        detail=f"{suggestion.note}\n{' · '.join(facts)}",
        fit=fit_text(fit),
        level=fit.verdict,
        actions=("download",),
        details_tip=suggestion.repository,
    )


def download_row(
    row: ModelRow, progress: DownloadProgress, runs: bool, stopping: bool, problem: str
) -> ModelRow:
    """Return ``row`` with the state of its download."""
    begun = progress.done_nbytes > 0
    words = _tr("{done} of {all}").format(
        done=format_bytes(progress.done_nbytes), all=format_bytes(progress.total_nbytes)
    )
    if stopping:
        note = _tr("Stopping…")
    elif not runs:
        note = _tr("Paused at {words}").format(words=words) if begun else ""
    elif not progress.total_nbytes:
        note = _tr("Asking the hub…")
    elif progress.stage == "Checking":
        note = _tr("Checking…")
    else:
        speed = _tr("{size} a second").format(size=format_bytes(int(progress.bytes_per_s)))
        note = f"{words} · {speed}"
    running: tuple[RowAction, ...] = () if stopping else ("pause",)
    paused: tuple[RowAction, ...] = ("resume" if begun else "download", "discard")
    return dataclasses.replace(
        row,
        note=note,
        problem=problem,
        progress=progress.fraction if runs or begun else None,
        actions=running if runs else paused,
    )


def fit_text(fit: Fit) -> str:
    """Return whether a model fits, with the range: an estimate, and called one."""
    words = {
        "fits": _tr("Fits: takes about {low} to {high} of {all}"),
        "tight": _tr("Tight: takes about {low} to {high} of {all}"),
        "too large": _tr("Too large: takes about {low} to {high}, there are {all}"),
    }
    return words[fit.verdict].format(
        low=format_bytes(fit.low_nbytes),
        high=format_bytes(fit.high_nbytes),
        all=format_bytes(fit.available_nbytes),
    )


def _facts(model: FoundModel) -> list[str]:
    places = {
        "starter": _tr("starter model, often wrong"),
        "velox": "",
        "hub": _tr("hub cache"),
        "lm-studio": "LM Studio",
        "folder": _tr("added folder"),
    }
    parts = [places[model.source], format_bytes(model.nbytes)]
    if model.facts is not None:
        parts += _model_facts(model.facts)
    return [part for part in parts if part]


def _model_facts(facts: ModelFacts) -> list[str]:
    supports = {
        "full": _tr("all layers can be bounded"),
        "partly": _tr("some layers can be bounded"),
        "none": _tr("its cache cannot be bounded"),
    }
    return [
        facts.quantization,
        _window(facts),
        supports[facts.cache_support],
        "" if facts.has_chat_template else _tr("not made for chats"),
    ]


def _window(facts: ModelFacts) -> str:
    count = facts.context_window
    return _tr("window of {count} tokens").format(count=format_count(count)) if count else ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("ModelRows", text)
