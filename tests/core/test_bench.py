import json
import math

import numpy as np
import pytest
from mlx_lm.models.cache import KVCache, RotatingKVCache

from tests.tiny_model import tiny_llama
from velox_core.bench import __main__ as command
from velox_core.bench import graph, measure, quality, report, speed, tables, tova_sweep, variants
from velox_core.bench.prose import read_prose
from velox_core.bench.quality import perplexity
from velox_core.bench.session import Session


def test_alternate_runs_every_side_in_each_round_and_rotates_who_begins():
    order: list[str] = []

    def side(name, figure):
        def run():
            order.append(name)
            return figure

        return run

    figures = measure.alternate({"a": side("a", 1.0), "b": side("b", 2.0)}, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert figures == {"a": [1.0] * 3, "b": [2.0] * 3}


def test_ratio_is_the_median_of_paired_ratios():
    assert measure.ratio([2.0, 30.0, 8.0], [1.0, 10.0, 2.0]) == 3.0


def test_mean_interval_covers_the_mean_and_narrows_with_more_values():
    few = measure.mean_interval([0.0, 1.0] * 4)
    many = measure.mean_interval([0.0, 1.0] * 200)
    assert few[0] == many[0] == 0.5
    assert few[1] < many[1] < 0.5 < many[2] < few[2]


def test_perplexity_counts_only_tokens_after_the_start():
    assert math.isclose(perplexity([[9.0, math.log(4)], [7.0, math.log(16)]], 1), 8.0)


def test_sweep_has_the_28_configurations_and_exact_ratios():
    assert len(tova_sweep.CONFIGURATIONS) == 28
    row = tova_sweep._measure(128, 64, 4, rounds=1, dtype=tova_sweep.mx.float32)
    assert row["compression_ratio"] == 2.0
    assert row["exact"]


def test_primitives_of_a_query_step_stay_few_and_copy_one_row():
    counted = speed.primitives()
    assert counted['"query"']["primitives"] <= 24
    assert counted['"query"']["rows_copied"] == "1"
    assert counted["unbounded"]["primitives"] == 16


def test_rows_copied_is_all_for_a_cache_that_concatenates():
    class Concatenating(KVCache):
        def update_and_fetch(self, keys, values):
            if self.keys is not None:
                keys = graph.mx.concatenate([self.keys, keys], axis=2)
                values = graph.mx.concatenate([self.values, values], axis=2)
            self.keys, self.values, self.offset = keys, values, keys.shape[2]
            return keys, values

    assert graph.rows_copied(graph.decode_primitives(Concatenating(), 8)) == "all"
    assert graph.rows_copied(graph.decode_primitives(RotatingKVCache(16), 64)) == "1"


def test_prose_holds_whole_sentences_and_no_examples():
    paragraphs = read_prose().split("\n\n")
    assert len(paragraphs) > 300
    assert not any(">>>" in paragraph or "::=" in paragraph for paragraph in paragraphs)
    assert np.mean([paragraph[-1] in ".:" for paragraph in paragraphs]) == 1.0


def test_fill_documents_replaces_only_what_stands_between_the_marks(tmp_path):
    rows = [
        {
            "policy": '"query"',
            "budget": 64,
            "perplexity": 28.1,
            "unbounded_perplexity": 27.0,
            "ratio": 1.0407,
        }
    ]
    (tmp_path / "quality.json").write_text(json.dumps({"rows": rows}), encoding="utf-8")
    document = tmp_path / "README.md"
    document.write_text("a\n<!-- bench:quality -->\nold\n<!-- /bench:quality -->\nz\n")
    assert tables.fill_documents(tmp_path, tmp_path) == ["quality"]
    assert document.read_text().splitlines() == [
        "a",
        "<!-- bench:quality -->",
        "",
        '| budget | unbounded | "query" |',
        "| --- | --- | --- |",
        "| 64 | 27.0 | 28.1 (1.041) |",
        "",
        "<!-- /bench:quality -->",
        "z",
    ]


def test_write_result_names_the_machine_without_a_path(tmp_path):
    path = report.write_result(tmp_path / "new", "speed", {"figure": 1})
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["figure"] == 1
    assert not any("/" in str(value) for value in content["machine"].values())


@pytest.mark.starter
@pytest.mark.slow
def test_recall_gives_the_planted_fact_from_an_unbounded_cache():
    from velox_core.bench import recall, variants
    from velox_core.bench.session import open_session

    session = open_session()
    conversation = recall.planted(session.tokenizer, 1)[0]
    whole, _ = recall.answer_log_probability(
        session.model, variants.unbounded(session.model, 0), conversation
    )
    window, _ = recall.answer_log_probability(
        session.model, variants.POLICIES["sink + window"](session.model, 64), conversation
    )
    assert whole > window


def test_lockstep_gives_each_cache_the_logits_it_gives_alone():
    model = tiny_llama()
    makers = [variants.unbounded, *variants.POLICIES.values()]
    ids = np.random.default_rng(3).integers(0, 90, 40).tolist()
    together = quality.token_losses(
        model, [make(model, 12) for make in makers], [ids] * len(makers)
    )
    for make, losses in zip(makers, together, strict=True):
        [alone] = quality.token_losses(model, [make(model, 12)], [ids])
        np.testing.assert_allclose(losses, alone, atol=1e-5)
    caches = variants.unbounded(model, 0)
    logits = np.array(model(graph.mx.array([ids]), cache=caches)[0], np.float64)
    expected = np.log(np.exp(logits[:-1]).sum(-1)) - logits[np.arange(39), ids[1:]]
    np.testing.assert_allclose(together[0], expected, atol=1e-4)


def test_speed_compares_every_cache_in_prompt_and_decode(monkeypatch):
    for name, small in (("BUDGET", 16), ("STEP", 16), ("DECODED", 4)):
        monkeypatch.setattr(speed, name, small)
    monkeypatch.setattr(variants, "reference_installed", lambda: False)
    result = speed.run(Session(tiny_llama(), None, "tiny"), rounds=1, context=64)
    names = {"unbounded", "RotatingKVCache", '"key"', '"query"'}
    assert set(result["decode"]) == names | {"empty cache"}
    assert set(result["prefill_once"]) == names
    figures = [result[part][name]["tps"] for part in ("decode", "prefill_once") for name in names]
    assert min(figures) > 0
    table = tables.TABLES["speed"](result).splitlines()
    row = next(line for line in table if line.startswith("| RotatingKVCache"))
    assert row.count("as fast") == 2
    assert table[-1].startswith("Reading 128 tokens takes")


@pytest.mark.parametrize(("elsewhere", "filled"), [(True, 0), (False, 1)])
def test_only_the_committed_results_fill_the_documents(tmp_path, monkeypatch, elsewhere, filled):
    row = {"tokens": [0, 8], "fresh": 2.0, "endless": 2.0, "positions grow": 3.0, "ratio": 1.0}
    monkeypatch.setattr(command, "_benchmarks", lambda _: {"endless": lambda: {"rows": [row]}})
    monkeypatch.setattr(command, "RESULTS", tmp_path / ("committed" if elsewhere else "out"))
    calls = []
    monkeypatch.setattr(tables, "fill_documents", lambda *folders: calls.append(folders) or [])
    assert command.main(["endless", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "endless.json").is_file()
    assert len(calls) == filled
