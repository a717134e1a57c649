// Migrates folders, and is interrupted at the nth step on disk: `count <dir>`, `kill <n> <dir>`, or `throw <n> <dir>…`, where
// each folder's run fails from that step on, and is then run again.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { leavingMems } from "../../build/graph/mem-status.js"
import { migrate } from "../../build/migrate/migrate.js"
import { defaultConfig } from "../../build/schemas/config.js"
import { systemSource } from "../../build/shared/ids.js"
import { openFileStore } from "../../build/store/file-store.js"

const STEPS = ["openSync", "writeSync", "fsyncSync", "renameSync", "linkSync", "mkdirSync", "rmSync"]
const real = Object.fromEntries(STEPS.map((name) => [name, fs[name]]))
const realPromises = { open: fs.promises.open, rename: fs.promises.rename, mkdir: fs.promises.mkdir }
let steps = 0
let onStep = () => {}

function watchSteps() {
  for (const name of STEPS)
    fs[name] = (...args) => {
      steps++
      onStep()
      return real[name](...args)
    }
  for (const name of Object.keys(realPromises))
    fs.promises[name] = async (...args) => {
      steps++
      onStep()
      return realPromises[name].apply(fs.promises, args)
    }
  syncBuiltinESMExports()
}

async function run(dir) {
  const store = openFileStore(dir, { source: systemSource, leaving: leavingMems })
  try {
    await migrate({ home: dir, dir, store, source: systemSource, config: defaultConfig, branch: () => null })
  } finally {
    await store.close().catch(() => {})
  }
}

watchSteps()
const [mode, ...rest] = process.argv.slice(2)
if (mode === "count") {
  await run(rest[0])
  process.stdout.write(`${steps}\n`)
} else if (mode === "kill") {
  const [at, dir] = rest
  onStep = () => {
    if (steps === Number(at)) process.kill(process.pid, "SIGKILL")
  }
  await run(dir)
} else {
  for (let n = 0; n < rest.length; n += 2) {
    steps = 0
    onStep = () => {
      if (steps >= Number(rest[n])) throw new Error("interrupted")
    }
    const outcome = await run(rest[n + 1]).then(
      () => "done",
      (error) => error.message,
    )
    onStep = () => {}
    await run(rest[n + 1])
    process.stdout.write(`${outcome}\n`)
  }
}
