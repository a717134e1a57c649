#!/usr/bin/env node
import { runCli } from "./run.ts"
import { processIo } from "./terminal/io.ts"

// Set, not exit(): output that is still being written to a pipe must get there.
process.exitCode = await runCli(process.argv.slice(2), processIo())
