import { fork } from "node:child_process"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"

// On Ctrl-C `tsx` kills this process if it does not answer within a few ms, which a busy machine makes likely. So
// the benchmark runs in another one, which ends its processes and removes its folders once this one is gone.
const run = fork(fileURLToPath(new URL("./run.ts", import.meta.url)), process.argv.slice(2), {
  execArgv: ["--import", import.meta.resolve("tsx")],
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => run.kill(signal))
run.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGTERM"]))
