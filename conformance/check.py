"""Holds a program that speaks the engine protocol to a file of the kit; needs nothing but Python.

python conformance/check.py conformance/ludo.json my-engine --its arguments
"""

import json
import subprocess
import sys


class Engine:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.can = set()
        self.say("spielwerk 1")
        while not (line := self.line()).startswith("protocol"):
            if line.startswith("can "):
                self.can.add(line[4:])

    def say(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the engine has ended")
        return line.strip()

    def answer(self, question, word):
        self.say(question)
        while not (line := self.line()).startswith(word + " "):
            if line.startswith("error"):
                return line
        return line[len(word) + 1 :]

    def refuses(self):
        self.say("isready")
        complaints = []
        while (line := self.line()) != "readyok":
            complaints.append(line.startswith("error"))
        return any(complaints)

    def place(self, moves):
        self.say(" ".join(["position start", *(["moves", *moves] if moves else [])]))


def problems(engine, case):
    rules = [f"{name}={value}" for name, value in case["rules"].items()]
    engine.say(" ".join(["rules", case["game"], *rules]).replace("=True", "=true").replace("=False", "=false"))
    if "count" in engine.can:
        engine.place([])
        for depth, count in enumerate(case["counts"], start=1):
            if (found := engine.answer(f"count {depth}", "counted")) != str(count):
                yield f"{found} sequences of {depth} actions, not {count}"
    for game in case["games"]:
        for ply, seen in enumerate(game["positions"]):
            engine.place(game["actions"][:ply])
            if "inspect" in engine.can:
                found = engine.answer("inspect", "inspected")
                if found.startswith("error") or json.loads(found) != seen:
                    yield f"after {ply} actions {found}, not {json.dumps(seen)}"
            elif isinstance(seen["player"], int):
                engine.say("legal " + " ".join(seen["legal"]))
                if (move := engine.answer("go nodes 1", "bestmove")) not in seen["legal"]:
                    yield f"after {ply} actions it played {move}"
    for refusal in case["refusals"]:
        engine.place([*refusal["moves"], refusal["action"]])
        if not engine.refuses():
            yield f"{refusal['action']} was not refused, though {refusal['reason']}"


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: python check.py FILE COMMAND…   (spielwerk engine random, for instance)")
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    engine, found = Engine(sys.argv[2:]), 0
    for case in cases:
        for problem in problems(engine, case):
            found += 1
            print(case["game"], case["rules"], problem)
    engine.say("quit")
    print(f"{len(cases)} cases, {found} differences")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
