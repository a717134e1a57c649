// A process that applies the queue of a project and prints what came of it: once for each line that it reads, or, where
// a fault is given (as JSON, see store/faults/inject.mjs; null: none), until nothing waits.
// usage: queue-drainer.mjs <project> [fault]
import { createInterface } from "node:readline"
import { drain } from "../../build/queue/queue.js"
import { openBuiltHive } from "./line-worker.mjs"

const [project, fault] = process.argv.slice(2)
const hive = await openBuiltHive(project)
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
if (fault === undefined) {
  print("ready")
  for await (const atMost of createInterface({ input: process.stdin }))
    print(await drain(hive, Number(atMost)))
}
if (fault !== "null") globalThis.faults.arm(JSON.parse(fault))
try {
  for (;;) {
    const { applied, refused } = await drain(hive, 20)
    if (applied + refused === 0) break
  }
} catch (error) {
  print({ error: error.code, why: error.why })
}
process.exit(0)
