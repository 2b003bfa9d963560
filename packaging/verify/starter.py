"""Hashes of the starter model's contents, as converted and measured.

Hashed is what the files mean and not how they are written: tensors by name, type, shape and bytes;
JSON by its values. So a conversion on another system gives the same hash.

``python -m verify.starter FOLDER`` (in ``packaging/``) prints the hashes of a converted model.
"""

import hashlib
import json
import sys
from pathlib import Path

EXPECTED = {
    "model.safetensors": "2f8d83da8264ba1f4fcdb16d88ed8c71027560af6d028c21008081f05962be83",
    "tokenizer.json": "53f4ea7f886a27738b9c22fa0dfd88c4a93a39d6ab46e2254e6f0ae979382977",
    "tokenizer_config.json": "c3725394330cec361c0b83c3aabda5fa7b6bf6777d96a6f155379918a1b60656",
    "config.json": "c3a1fc7cab87e203109dac089fe08b9912f124faee6c5be1c6b9735a06f0ca8d",
}


def starter_hashes(path: Path) -> str:
    """SHA-256 over the contents of a safetensors or JSON file; a damaged one gives its own hash."""
    data = path.read_bytes()
    digest = hashlib.sha256()
    try:
        if path.suffix != ".safetensors":
            digest.update(json.dumps(json.loads(data), sort_keys=True).encode())
            return digest.hexdigest()
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        header.pop("__metadata__", None)
        for name, tensor in sorted(header.items()):
            first, last = tensor["data_offsets"]
            digest.update(f"{name} {tensor['dtype']} {tensor['shape']}\n".encode())
            digest.update(data[start + first : start + last])
    except (ValueError, KeyError, TypeError, AttributeError):
        return hashlib.sha256(data).hexdigest()
    return digest.hexdigest()


if __name__ == "__main__":
    for file_name in EXPECTED:
        print(f'    "{file_name}": "{starter_hashes(Path(sys.argv[1]) / file_name)}",')
