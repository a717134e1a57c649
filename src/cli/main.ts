#!/usr/bin/env node
const args = process.argv.slice(2)
const [command, agent = ""] = args
// An agent waits for every hook, so a hook call does not load the command line.
if (command === "hook" && !agent.startsWith("-")) {
  const { runHook } = await import("../hosts/hooks/hook-client.ts")
  await runHook(agent)
} else {
  const [{ runCli }, { processIo }] = await Promise.all([import("./run.ts"), import("./terminal/io.ts")])
  // `process.exit()` would cut off output that is still being written to a pipe.
  process.exitCode = await runCli(args, processIo())
}
