#!/usr/bin/env node
const args = process.argv.slice(2)
const [command, agent = ""] = args
// An agent waits for each of its hooks, so they load nothing of the command line.
if (command === "hook" && !agent.startsWith("-")) {
  const { runHook } = await import("../hosts/hooks/hook-client.ts")
  await runHook(agent)
} else {
  const [{ runCli }, { processIo }] = await Promise.all([import("./run.ts"), import("./terminal/io.ts")])
  // Set, not exit(): output that is still being written to a pipe must get there.
  process.exitCode = await runCli(args, processIo())
}
