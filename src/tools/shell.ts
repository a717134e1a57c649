import * as z from "zod"
import { runPermitted } from "../project/run-command.ts"
import { text } from "../schemas/fields.ts"
import { defineSimpleTool } from "./tool.ts"

export const shellTool = defineSimpleTool(
  "shell",
  "Run a command, recorded for the task. Unlike the plain shell it refuses what cannot be undone. For builds, tests and git.",
  { command: text, timeout_ms: z.int().min(100).max(600_000).optional() },
  async (hive, { running }, { command, timeout_ms }) => {
    const timeout = timeout_ms ?? DEFAULT_TIMEOUT_MS
    const { exit, output, timedOut } = await runPermitted(running, command, hive.dir, timeout)
    return { exit, ...(timedOut ? { timed_out: true } : {}), output }
  },
)

const DEFAULT_TIMEOUT_MS = 120_000
