"""The conversations that are at hand: the newest in memory, left ones on disk as well."""

import logging
from collections.abc import Iterator

from velox_core.engine.cache_store import CacheStore
from velox_core.engine.conversation import Conversation
from velox_core.engine.events import CacheSettings
from velox_core.engine.model_loader import LoadedModel

logger = logging.getLogger(__name__)

_MAX_IDLE = 4
_MAX_IDLE_NBYTES = 1 << 30
# Shorter ones are read again faster than they are worth a file.
_MIN_SAVED_TOKENS = 256


class Shelf:
    """Conversations of one loaded model by chat, the one used last at the end."""

    def __init__(
        self, loaded: LoadedModel, saved_limit_nbytes: int = 0, store: CacheStore | None = None
    ) -> None:
        """Begin empty.

        Args:
            loaded: The model they belong to.
            saved_limit_nbytes: Most bytes of saved caches; 0 to save and restore none.
            store: Where they are saved.
        """
        self._loaded = loaded
        self._limit = saved_limit_nbytes
        self._store = store or CacheStore()
        self._conversations: dict[str, Conversation] = {}
        self._saved_ids: dict[str, int] = {}

    def get(self, chat_id: str) -> Conversation | None:
        """A chat's conversation if it is in memory."""
        return self._conversations.get(chat_id)

    def take(self, chat_id: str, settings: CacheSettings) -> Conversation:
        """Take a chat's conversation off the shelf: from memory, from disk, or a new one.

        Raises:
            ConfigError: When budget and sinks do not fit together.
        """
        conversation = self._conversations.pop(chat_id, None)
        if conversation is None:
            conversation = Conversation(self._loaded.model, self._loaded.info, settings)
            self._restore(chat_id, conversation)
        return conversation

    def put(self, chat_id: str, conversation: Conversation) -> None:
        """Put a conversation back as the newest; those left are saved, old ones forgotten."""
        self._conversations.pop(chat_id, None)
        self._conversations[chat_id] = conversation
        for left in list(self._conversations)[:-1]:
            self._save(left)
        while len(self._conversations) > 1:
            *idle, _ = self._conversations.values()
            if len(idle) < _MAX_IDLE and sum(kept.nbytes for kept in idle) <= _MAX_IDLE_NBYTES:
                return
            del self._conversations[next(iter(self._conversations))]

    def replace(self, chat_id: str, conversation: Conversation) -> None:
        """Put a conversation in the place of the one before, on disk too when it is saved."""
        self._saved_ids.pop(chat_id, None)
        self.put(chat_id, conversation)

    def forget(self, chat_id: str) -> None:
        """Drop a chat's conversation, in memory and on disk."""
        self._conversations.pop(chat_id, None)
        self._saved_ids.pop(chat_id, None)
        self._store.forget(chat_id)

    def close(self) -> None:
        """Save all, the newest first, and forget them."""
        for chat_id in self._newest_first():
            self._save(chat_id)
        self._conversations.clear()

    def _newest_first(self) -> Iterator[str]:
        return iter(list(self._conversations)[::-1])

    def _save(self, chat_id: str) -> None:
        conversation = self._conversations[chat_id]
        n = len(conversation.ids)
        if not self._limit or n < _MIN_SAVED_TOKENS or self._saved_ids.get(chat_id) == n:
            return
        self._store.save(
            chat_id, self._loaded.model, conversation.caches, conversation.ids, self._limit
        )
        self._saved_ids[chat_id] = n

    def _restore(self, chat_id: str, conversation: Conversation) -> None:
        saved = self._store.load(chat_id, self._loaded.model) if self._limit else None
        if saved is None:
            return
        if conversation.adopt(saved.caches, saved.token_ids):
            self._saved_ids[chat_id] = len(conversation.ids)
        else:
            logger.info("saved caches are of another kind")
