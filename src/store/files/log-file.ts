import { join } from "node:path"
import type { Config } from "../../schemas/config.ts"
import type { Clock } from "../../shared/ids.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import type { HivePaths } from "./layout.ts"
import { rotatingFile } from "./rotating-lines.ts"

export type LogLevel = Config["log_level"]
export type Log = (level: LogLevel, message: string, detail?: unknown) => void

/**
 * Writes to `.hivemind/system/log/hivemind.log`, with one older file beside it, so it never takes more than twice
 * MAX_BYTES. Never throws and never makes `.hivemind/` by itself: a log must not be the reason for anything.
 */
export function openLog(
  paths: HivePaths,
  now: Clock,
  upTo: () => LogLevel,
): { log: Log; idle: () => Promise<unknown> } {
  const older = join(paths.logDir, "hivemind.1.log")
  const { append, idle } = rotatingFile(join(paths.logDir, "hivemind.log"), older, paths.root, MAX_BYTES)
  return {
    log(level, message, detail) {
      if (LEVELS.indexOf(level) > LEVELS.indexOf(upTo())) return
      const at = new Date(now()).toISOString()
      const line = `${at} ${level} ${message}${detail === undefined ? "" : ` ${describe(detail)}`}`
      const bounded = `${maskSecrets(line.slice(0, 2 * MAX_LINE))
        .replaceAll("\n", "\n  ")
        .slice(0, MAX_LINE)}\n`
      append(bounded)
    },
    idle,
  }
}

function describe(detail: unknown): string {
  if (detail instanceof Error) return detail.stack ?? detail.message
  try {
    return JSON.stringify(detail) ?? String(detail)
  } catch {
    return String(detail)
  }
}

const LEVELS: LogLevel[] = ["error", "info", "debug"]
const MAX_BYTES = 512 * 1024
const MAX_LINE = 8000
