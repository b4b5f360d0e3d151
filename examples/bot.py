"""A bot in a page of plain Python: python examples/bot.py http://127.0.0.1:8765/t/TABLE

It needs no rules: the server sends the legal actions, and the bot plays any of them. Programs in other languages
do the same; docs/protocol.md has every message.
"""

import json
import random
import sys
import urllib.request

from websockets.sync.client import connect

server, _, table = sys.argv[1].partition("/t/")

body = json.dumps({"name": "example bot"}).encode()
request = urllib.request.Request(f"{server}/api/tables/{table}/seats", body, {"Content-Type": "application/json"})
with urllib.request.urlopen(request) as response:
    token = json.load(response)["token"]

with connect(f"{server.replace('http', 'ws', 1)}/api/tables/{table}/socket") as socket:
    socket.send(json.dumps({"type": "hello", "protocol": 1, "tokens": [token], "scenes": False}))
    for text in socket:
        message = json.loads(text)
        if message.get("status") == "over":
            break
        if "play" in message.get("can", ()):
            action = random.choice(message["legal"])
            socket.send(json.dumps({"type": "play", "id": 1, "seq": message["seq"], "action": action}))
