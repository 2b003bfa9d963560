"""Every kind of broken model folder gets its own plain sentence."""

import json
import os
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.core.model_folders import write_model
from velox_core.errors import ModelError
from velox_core.models.model_folder import check_model_folder

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 98351102\n"


def cut(folder):
    path = folder / "model.safetensors"
    os.truncate(path, path.stat().st_size // 2)


def lie_about_header(folder):
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", 1 << 62) + path.read_bytes()[8:])


def remove_shard(folder):
    write_model(folder, shards=3)
    (folder / "model.safetensors").unlink()
    (folder / "model-00002-of-00003.safetensors").unlink()


def swap_shard(folder):
    write_model(folder, shards=2)
    save_file({"other": np.zeros(3, np.float32)}, folder / "model-00002-of-00002.safetensors")


def escape_folder(folder):
    index = {"weight_map": {"w": "../../etc/passwd"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def replace_weights(content, name="model.safetensors"):
    def harm(folder):
        (folder / "model.safetensors").unlink()
        (folder / name).write_text(content)

    return harm


def configure(**changes):
    return lambda folder: write_model(folder, **changes)


BROKEN = {
    "cut": (cut, "model.safetensors is not complete; download the model again."),
    "header lies": (lie_about_header, "model.safetensors is not complete; download"),
    "empty file": (replace_weights(""), "model.safetensors is not complete; download"),
    "text": (replace_weights("\x02" + "\0" * 7 + "[]"), "model.safetensors is damaged; download"),
    "lfs pointer": (replace_weights(LFS), "only a pointer to the real file"),
    "web page": (replace_weights("\n<!DOCTYPE html><html>no</html>"), "is a web page, not a model"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "The weights are missing"),
    "pytorch": (replace_weights("x", "pytorch_model.bin"), "in PyTorch format"),
    "gguf": (replace_weights("x", "model.gguf"), "in GGUF format"),
    "shard missing": (remove_shard, "The file model-00002-of-00003.safetensors is missing"),
    "shard swapped": (swap_shard, "model-00002-of-00002.safetensors does not hold what"),
    "index outside": (escape_folder, "model.safetensors.index.json is damaged"),
    "no config": (lambda f: (f / "config.json").unlink(), "it has no config.json"),
    "bad config": (lambda f: (f / "config.json").write_text("[1"), "config.json is damaged"),
    "deep config": (lambda f: (f / "config.json").write_text("[" * 200_000), "config.json is dam"),
    "no type": (configure(model_type=None), "config.json does not name a model_type"),
    "odd type": (configure(model_type=7), "config.json does not name a model_type"),
    "unknown type": (configure(model_type="bert"), "Models of the type 'bert' are not supported"),
    "path as type": (configure(model_type="../llama"), "are not supported yet"),
    "vision": (configure(model_type="clip", vision_config={}), "only chats in text"),
    "own code": (configure(model_file="evil.py"), "wants to run code of its own"),
    "key missing": (configure(vocab_size=None), "config.json lacks vocab_size; download"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "The tokenizer is missing"),
    "bad tokenizer": (lambda f: (f / "tokenizer.json").write_text("{"), "tokenizer.json is damag"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_folder_is_refused_in_one_sentence(tmp_path, kind):
    harm, words = BROKEN[kind]
    harm(write_model(tmp_path / "model"))
    with pytest.raises(ModelError) as caught:
        check_model_folder(tmp_path / "model")
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"There is no folder .*/nowhere; choose another model"):
        check_model_folder(tmp_path / "nowhere")


def test_facts_of_a_whole_folder(tmp_path):
    facts = check_model_folder(write_model(tmp_path / "model", shards=3))
    assert facts.n_parameters == 6400
    assert facts.quantization == "16-bit"
    assert facts.context_window == 4096
    assert facts.bytes_per_token == 2 * 2 * 2 * 2 * 16
    assert facts.cache_support == "full"
    assert facts.has_chat_template


def test_quantised_weights_count_as_what_they_stand_for(tmp_path):
    folder = write_model(tmp_path / "model", quantization={"group_size": 32, "bits": 4})
    weights = {
        "a.weight": np.zeros((8, 64 * 4 // 32), np.uint32),
        "a.scales": np.zeros((8, 2), np.float16),
        "a.biases": np.zeros((8, 2), np.float16),
        "norm.weight": np.zeros(64, np.float16),
    }
    save_file(weights, folder / "model.safetensors")
    facts = check_model_folder(folder)
    assert (facts.n_parameters, facts.quantization) == (8 * 64 + 64, "4-bit")


def test_text_part_of_a_nested_config_is_read(tmp_path):
    text = {"num_hidden_layers": 4, "num_attention_heads": 4, "head_dim": 32, "n_ctx": 99}
    folder = write_model(
        tmp_path / "model", model_type="gemma3", text_config=text, max_position_embeddings=None
    )
    facts = check_model_folder(folder)
    assert facts.bytes_per_token == 2 * 2 * 4 * 2 * 32
    assert (facts.context_window, facts.cache_support) == (99, "partly")


@pytest.mark.starter
def test_starter_model_is_whole(starter_path):
    facts = check_model_folder(starter_path)
    assert (facts.n_parameters, facts.bytes_per_token) == (134_515_008, 23_040)
    assert (facts.quantization, facts.context_window, facts.cache_support) == (
        "4-bit",
        8192,
        "full",
    )
