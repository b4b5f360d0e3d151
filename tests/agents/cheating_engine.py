"""An engine that does whatever its first argument says, honest or not; its second is a file for its process ids."""

import os
import signal
import subprocess
import sys
import time

way = sys.argv[1] if len(sys.argv) > 1 else "honest"
legal: list[str] = []
ids = [os.getpid()]


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def hang() -> None:
    while True:
        time.sleep(60)


def flood(text: str) -> None:
    while True:
        sys.stdout.write(text)


def think() -> None:
    move = legal[0]
    match way:
        case "honest" | "with-child":
            say(f"info value 0.5 depth 3 nodes 7 ms 1.5 visits 4 pv {move}", f"bestmove {move}")
        case "crashes":
            raise RuntimeError("out of ideas")
        case "exits":
            sys.exit(3)
        case "breaks":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "closes-output":
            os.close(1)
            hang()
        case "silent":
            hang()
        case "waits-for-stop":
            assert sys.stdin.readline() == "stop\n"
            say(f"bestmove {move}")
        case "chatters":
            flood("info depth 1\n")
        case "drones":
            flood("x" * 4096)
        case "grumbles":
            while True:
                sys.stderr.write("grumble\n" * 100)
        case "illegal":
            say("bestmove a1")
        case "unheard-of":
            say("bestmove \x1b[2Jxyzzy")
        case "moves-nothing":
            say("bestmove")
        case "plays-two":
            say(f"bestmove {move}", f"bestmove {move}")
        case "whole-turn":
            say(f"bestmove {move} {move}")
        case "nonsense":
            say(f"info value nan pv {move}", f"bestmove {move}")
        case "binary":
            os.write(1, bytes(range(256)) + b"\n")
            say(f"bestmove {move}")
        case "wild-lines":
            say(f"info line 2 value 0.25 proved pv {move} a1 a1", "info line 3 pv xyzzy", "info string pv pv")
            say(f"bestmove {move}")
        case "refuses":
            say("error I do not feel like it")


def declare() -> None:
    if way == "never-starts":
        hang()
    if way == "dies-at-once":
        sys.exit("no licence")
    say("id name cheat", "id author nobody", "option style text - how to cheat", "want legal")
    if way == "only-ludo":
        say("game ludo/*")
    say("protocol 2" if way == "newer" else "protocol 1")


if way == "deaf":
    hang()
if way in ("with-child", "silent"):
    ids.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]).pid)
if len(sys.argv) > 2:
    with open(sys.argv[2], "w") as file:
        file.write(" ".join(map(str, ids)))
for line in sys.stdin:
    command, *words = line.split()
    match command:
        case "spielwerk":
            declare()
        case "isready":
            say("readyok")
        case "legal":
            legal = words
        case "setoption" if words[0] == "style":
            way = words[1]
        case "go":
            think()
        case "quit" if way not in ("honest",):
            hang()
        case "quit":
            break
