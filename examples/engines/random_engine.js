#!/usr/bin/env node
// An engine in a page of JavaScript: spielwerk play ludo/teams --seat human --seat "engine:node random_engine.js" …
//
// It asks for the legal actions with every position and plays any of them, so it needs no rules and plays every game.
// docs/engine-protocol.md has every command.
const say = (...lines) => console.log(lines.join("\n"));
const commands = require("node:readline").createInterface({ input: process.stdin });
let legal = [];

commands.on("line", (line) => {
  const [command, ...words] = line.trim().split(/\s+/);
  switch (command) {
    case "spielwerk": // who we are, and what we need
      say("id name random in JavaScript", "id author you", "want legal", "protocol 1");
      break;
    case "isready":
      say("readyok");
      break;
    case "legal": // follows the position, because we want it
      legal = words;
      break;
    case "go":
      say(`bestmove ${legal[Math.floor(Math.random() * legal.length)]}`);
      break;
    case "quit":
      process.exit();
  }
});
