"""Every setting of the application, declared once.

The settings window, the validation of stored values and the table in the README all come from
:data:`SETTINGS`. Nothing here imports Qt or the engine, so that any room may read it.
"""

from app.settings.setting import Group, Setting

GROUPS = (
    Group("appearance", "Appearance"),
    Group("chat", "Chat"),
    Group("sampling", "Replies"),
    Group("memory", "Memory"),
    Group("models", "Models"),
)

_APPEARANCE = (
    Setting(
        "appearance.scheme",
        "choice",
        "system",
        "Colours",
        "Light, dark, or whatever the system uses.",
        choices=(("system", "Follow the system"), ("light", "Light"), ("dark", "Dark")),
    ),
    Setting(
        "appearance.text_size",
        "int",
        100,
        "Text size",
        "The size of all text, compared with the system's.",
        minimum=80,
        maximum=200,
        step=10,
        unit="%",
    ),
    Setting(
        "appearance.show_stats",
        "bool",
        True,
        "Numbers below replies",
        "Show speed, time to first token and what is remembered below each reply.",
    ),
)

_CHAT = (
    Setting(
        "chat.send_key",
        "choice",
        "return",
        "Send with",
        "The key that sends a message; Return with Shift always breaks the line.",
        choices=(("return", "Return"), ("command_return", "⌘ Return, Ctrl Return")),
    ),
    Setting(
        "chat.system_prompt",
        "long_text",
        "",
        "System prompt",
        "What the model is told before each chat. Empty for none.",
        maximum=100_000,
        applies="from the next reply",
        per_chat=True,
    ),
)

_SAMPLING = (
    Setting(
        "sampling.temperature",
        "float",
        0.7,
        "Temperature",
        "How freely words are chosen. 0 always takes the likeliest.",
        minimum=0,
        maximum=2,
        step=0.05,
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.top_p",
        "float",
        0.95,
        "Top-p",
        "Choose only among the likeliest tokens that together reach this probability; 1 is all.",
        minimum=0.01,
        maximum=1,
        step=0.01,
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.top_k",
        "int",
        0,
        "Top-k",
        "Choose only among this many of the likeliest tokens; 0 is all.",
        minimum=0,
        maximum=1000,
        step=1,
        unit="tokens",
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.min_p",
        "float",
        0.0,
        "Min-p",
        "Leave out tokens less likely than this share of the likeliest one; 0 leaves out none.",
        minimum=0,
        maximum=1,
        step=0.01,
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.repetition_penalty",
        "float",
        1.0,
        "Repetition penalty",
        "Makes tokens that were just used less likely; 1 is off.",
        minimum=1,
        maximum=2,
        step=0.05,
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.seed",
        "int",
        None,
        "Seed",
        "The same seed, settings and chat give the same reply again.",
        minimum=0,
        maximum=2**31 - 1,
        step=1,
        optional=True,
        none_label="Random",
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.max_tokens",
        "int",
        2048,
        "Longest reply",
        "A reply is cut after this many tokens; Continue goes on.",
        minimum=1,
        maximum=131_072,
        step=256,
        unit="tokens",
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "sampling.stop",
        "text_list",
        (),
        "Stop at",
        "A reply ends before any of these texts, one on each line.",
        maximum=200,
        applies="from the next reply",
        per_chat=True,
    ),
)

_MEMORY = (
    Setting(
        "memory.bounded",
        "bool",
        True,
        "Bounded memory",
        "Keep at most the budget in the KV cache. Off keeps every token and grows without end.",
        applies="from the next reply",
        per_chat=True,
    ),
    Setting(
        "memory.budget",
        "int",
        2048,
        "Budget",
        "How many tokens each layer of the KV cache keeps.",
        minimum=64,
        maximum=131_072,
        step=64,
        unit="tokens",
        logarithmic=True,
        per_chat=True,
    ),
    Setting(
        "memory.n_sink",
        "int",
        4,
        "Sinks",
        "How many tokens at the very beginning are never dropped; must be below the budget.",
        minimum=0,
        maximum=63,
        step=1,
        unit="tokens",
        per_chat=True,
    ),
    Setting(
        "memory.protect_system_prompt",
        "bool",
        True,
        "Always keep the system prompt",
        "The system prompt's tokens are never dropped from the KV cache.",
        per_chat=True,
    ),
    Setting(
        "memory.show_remembered",
        "bool",
        False,
        "Show what is remembered",
        "Shade each word of the chat by how much of it the KV cache still holds.",
    ),
    Setting(
        "memory.reuse_limit_gb",
        "float",
        2.0,
        "Freed memory kept for reuse",
        "How much memory of finished work is kept ready; less is slower, more holds on to memory.",
        minimum=0,
        maximum=64,
        step=0.5,
        unit="GB",
        applies="when a model is loaded",
    ),
)

_MODELS = (
    Setting(
        "models.folders",
        "folder_list",
        (),
        "Folders with models",
        "Looked through for models, besides the usual places.",
        maximum=4096,
    ),
    Setting(
        "models.load_last",
        "bool",
        True,
        "Load the last model at start",
        "Load the model that was in use when Velox was closed.",
        applies="at the next start",
    ),
    Setting("models.path", "text", "", maximum=4096, hidden=True, per_chat=True),
    Setting("models.loading_path", "text", "", maximum=4096, hidden=True),
)

_WINDOW = (
    Setting("window.geometry", "text", "", maximum=10_000, hidden=True),
    Setting("window.splitter", "text", "", maximum=10_000, hidden=True),
    Setting("window.show_chats", "bool", True, hidden=True),
    Setting("window.show_memory", "bool", True, hidden=True),
    Setting("window.last_chat", "text", "", maximum=100, hidden=True),
)

SETTINGS: tuple[Setting, ...] = _APPEARANCE + _CHAT + _SAMPLING + _MEMORY + _MODELS + _WINDOW
BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}
