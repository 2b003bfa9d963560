import signal
import subprocess
import sys
import time

from app.storage import ChatStore

STREAM = """
import itertools, sys, time
from pathlib import Path
from app.storage import ChatStore, ReplySaver, StorageThread
thread = StorageThread()
store = ChatStore(Path(sys.argv[1]))
thread.submit(store.open).result()
chat = thread.submit(store.create_chat).result()
thread.submit(store.add_message, chat.id, "user", "Count!").result()
reply = thread.submit(store.add_message, chat.id, "assistant", "", state="partial").result()
saver = ReplySaver(store, thread, reply.id)
text = ""
for number in itertools.count():
    text += f"{time.time()} "
    saver.update(text, range(number))
    print(number, flush=True)
    time.sleep(0.02)
"""


def test_kill_loses_at_most_two_seconds_of_a_reply(database) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STREAM, str(database)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    started = None
    for line in process.stdout:
        started = started or time.time()
        if int(line) >= 150:
            break
    killed = time.time()
    process.send_signal(signal.SIGKILL)
    process.wait(20)
    store = ChatStore(database)
    store.open()
    (chat,) = store.list_chats()
    question, reply = store.path(chat.id)
    assert question.content == "Count!"
    assert reply.state == "stopped"
    words = reply.content.split()
    assert killed - float(words[-1]) < 2.0
    assert len(reply.token_ids) == len(words) - 1
    assert store.search(words[0]) != ()
    store.close()
