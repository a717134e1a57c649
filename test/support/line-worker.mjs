// For programs of tests: a hive from the build, and work for each line on stdin, whose outcome is printed.
import { createInterface } from "node:readline"
import { openHiveIn } from "../../build/hive/open.js"

export async function openBuiltHive(project) {
  const source = { now: Date.now, newId: () => crypto.randomUUID() }
  const options = { name: "test", value: {} }
  const { hive } = await openHiveIn(project, { source, userConfig: null, options })
  hive.store.read()
  return hive
}

export async function forEachLine(work) {
  process.stdout.write("ready\n")
  for await (const line of createInterface({ input: process.stdin })) {
    const outcome = await work(line).catch((error) => error.code ?? error.stack.replaceAll("\n", " "))
    process.stdout.write(`${outcome}\n`)
  }
}
