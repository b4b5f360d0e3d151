// Holds a program that speaks the engine protocol to a file of the kit; needs nothing but Node.
//
//   node conformance/check.mjs conformance/ludo.json my-engine --its arguments
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";

class Engine {
  static async start(command) {
    const engine = new Engine();
    engine.process = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    engine.lines = createInterface({ input: engine.process.stdout })[Symbol.asyncIterator]();
    engine.can = new Set();
    engine.say("spielwerk 1");
    for (let line = ""; !line.startsWith("protocol"); line = await engine.line())
      if (line.startsWith("can ")) engine.can.add(line.slice(4));
    return engine;
  }

  say(...lines) {
    this.process.stdin.write(lines.map((line) => `${line}\n`).join(""));
  }

  async line() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error("the engine has ended");
    return value.trim();
  }

  async answer(question, word) {
    this.say(question);
    for (;;) {
      const line = await this.line();
      if (line.startsWith(`${word} `)) return line.slice(word.length + 1);
      if (line.startsWith("error")) return line;
    }
  }

  async refuses() {
    this.say("isready");
    let complained = false;
    for (let line = ""; line !== "readyok"; line = await this.line()) complained ||= line.startsWith("error");
    return complained;
  }

  place(moves) {
    this.say(["position start", ...(moves.length ? ["moves", ...moves] : [])].join(" "));
  }
}

async function* problems(engine, test) {
  const rules = Object.entries(test.rules).map(([name, value]) => `${name}=${value}`);
  engine.say(["rules", test.game, ...rules].join(" "));
  if (engine.can.has("count")) {
    engine.place([]);
    for (const [index, count] of test.counts.entries()) {
      const found = await engine.answer(`count ${index + 1}`, "counted");
      if (found !== String(count)) yield `${found} sequences of ${index + 1} actions, not ${count}`;
    }
  }
  for (const game of test.games)
    for (const [ply, seen] of game.positions.entries()) {
      engine.place(game.actions.slice(0, ply));
      if (engine.can.has("inspect")) {
        const found = await engine.answer("inspect", "inspected");
        if (found.startsWith("error") || !isDeepStrictEqual(JSON.parse(found), seen))
          yield `after ${ply} actions ${found}, not ${JSON.stringify(seen)}`;
      } else if (Number.isInteger(seen.player)) {
        engine.say(`legal ${seen.legal.join(" ")}`);
        const move = await engine.answer("go nodes 1", "bestmove");
        if (!seen.legal.includes(move)) yield `after ${ply} actions it played ${move}`;
      }
    }
  for (const refusal of test.refusals) {
    engine.place([...refusal.moves, refusal.action]);
    if (!(await engine.refuses())) yield `${refusal.action} was not refused, though ${refusal.reason}`;
  }
}

const [file, ...command] = process.argv.slice(2);
if (command.length === 0) {
  console.error("usage: node check.mjs FILE COMMAND…   (spielwerk engine random, for instance)");
  process.exit(1);
}
const { cases } = JSON.parse(readFileSync(file, "utf8"));
const engine = await Engine.start(command);
let found = 0;
for (const test of cases)
  for await (const problem of problems(engine, test)) {
    found += 1;
    console.log(test.game, JSON.stringify(test.rules), problem);
  }
engine.say("quit");
console.log(`${cases.length} cases, ${found} differences`);
process.exitCode = found ? 1 : 0;
