// Times the functions that read untrusted text on hostile input: one long text against eight texts an eighth as long.
// Linear work gives a ratio of 1, quadratic work one of 8. Prints one line of JSON: the ratios by function and input.
// usage: scaling-probe.mjs <file with ordinary text> <rounds>

import { readFileSync } from "node:fs"
import { readCommand } from "../../build/gate/shell/read-command.js"
import { findRules } from "../../build/knowledge/rules/find-rules.js"
import { pathsMeet } from "../../build/shared/glob.js"
import { maskSecrets } from "../../build/shared/secrets/mask.js"
import { correctionIn } from "../../build/shared/text/corrections.js"
import { runsInBackground } from "../../build/work/task/check-commands.js"
import { judgeChecks } from "../../build/work/task/check-result.js"
import { CHECKS, COMMANDS, inputsOf, MESSAGES, PATHS, SECRETS } from "./scaling-inputs.mjs"

const [ordinaryText = "", rounds = "5"] = process.argv.slice(2)
const page = readFileSync(ordinaryText, "utf8")
let judged = 0

/** By function: the call, the length of the long text, and the inputs. */
const cases = {
  maskSecrets: { call: maskSecrets, length: 80_000, inputs: inputsOf(SECRETS) },
  "maskSecrets, ordinary text": { call: maskSecrets, length: 1_000_000, inputs: { page: pageOf } },
  pathsMeet: { call: (text) => pathsMeet(text, "src/**/db/*.ts"), length: 8000, inputs: inputsOf(PATHS) },
  judgeChecks: {
    call: (text) => [judgeChecks(text, { exit: 0, output: "" }), runsInBackground(`${text}&`)],
    length: 9600,
    inputs: CHECKS,
  },
  "judgeChecks, output": {
    call: (output) => judgeChecks("npm test | tail", { exit: 0, output }),
    length: 240_000,
    inputs: inputsOf(["1 passed ", "\n", "Tests: 1", "a:b: ", "\u001b[1", "ok  \tx\t1\n"]),
  },
  readCommand: { call: judge, length: 12_000, inputs: COMMANDS },
  correctionIn: {
    call: (text) => correctionIn(text),
    length: 100_000,
    inputs: inputsOf([...MESSAGES, "remove ", "not a ", "```"]),
  },
  findRules: {
    call: (text) => findRules(text),
    length: 100_000,
    inputs: inputsOf([...MESSAGES, " ", "please and so ", "always use foo. ", "we must ", '"']),
  },
}

const found = {}
for (const [name, { call, length, inputs }] of Object.entries(cases))
  found[name] = Object.fromEntries(
    Object.entries(inputs).map(([input, textOf]) => [
      input,
      growth(call, textOf(length), textOf(length / 8)),
    ]),
  )
console.log(JSON.stringify(found))

/** Processor time, the best of some rounds. Both sides read the same amount of text. */
function growth(call, long, short) {
  const once = spent(() => call(long))
  // A sample takes some milliseconds.
  const repeats = Math.min(50, Math.ceil(5 / Math.max(once, 0.05)))
  const times = (count, text) => () => {
    for (let n = 0; n < count; n++) call(text)
  }
  const measure = () => [spent(times(repeats, long)), spent(times(repeats * 8, short))]
  measure() // Not counted: the compiler is at work.
  const samples = Array.from({ length: Number(rounds) }, measure)
  return Math.min(...samples.map(([whole]) => whole)) / Math.min(...samples.map(([, parts]) => parts))
}

function spent(job) {
  const before = process.cpuUsage()
  job()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function pageOf(length) {
  return page.repeat(Math.ceil(length / page.length)).slice(0, length)
}

/** In another folder each time: a judgement is cached. */
function judge(command) {
  readCommand(command, {
    project: "/srv/app",
    home: "/home/me",
    cwd: `/srv/app/${judged++}`,
  })
}
