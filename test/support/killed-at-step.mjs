// Loaded before a program: it is killed at the nth step on disk (KILL_AT), or tells at its end how many there were.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const STEPS = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "renameSync",
  "linkSync",
  "mkdirSync",
  "rmSync",
  "writev",
]
const at = Number(process.env.KILL_AT ?? 0)
let steps = 0

function step() {
  if (++steps === at) process.kill(process.pid, "SIGKILL")
}

for (const [target, names] of [
  [fs, STEPS],
  [fs.promises, ["open", "rename", "mkdir"]],
]) {
  for (const name of names) {
    const real = target[name]
    target[name] = (...args) => {
      step()
      return real.apply(target, args)
    }
  }
}
syncBuiltinESMExports()
if (at === 0) process.on("exit", () => process.stderr.write(`${steps}\n`))
