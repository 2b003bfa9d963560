"""Short words for downloads from the `hub` fixture."""

import threading

from velox_core.models.download import download_model

NAME = "mlx-community/Tiny-4bit"
WEIGHTS = "model.safetensors"


def get(hub, repository=NAME, progress=lambda _step: None, cancel=None, token=None):
    cancel = cancel or threading.Event()
    return download_model(repository, progress, cancel, token, hub.endpoint)


def asked(hub, name=WEIGHTS):
    return [range_ for path, range_, _ in hub.requests if path.startswith("/cdn") and name in path]


def stop_at(nbytes):
    """A progress callback and the event that it sets once ``nbytes`` have arrived."""
    cancel = threading.Event()

    def watch(step):
        if step.done_nbytes >= nbytes:
            cancel.set()

    return {"progress": watch, "cancel": cancel}
