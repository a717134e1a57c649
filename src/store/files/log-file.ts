import { join } from "node:path"
import type { Config } from "../../schemas/config.ts"
import type { Clock } from "../../shared/ids.ts"
import { createQueue } from "../../shared/queue.ts"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { appendFile, existsSync, mkdirSync, renameSync, statSync } from "./hive-fs.ts"
import type { HivePaths } from "./layout.ts"

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
  const path = join(paths.logDir, "hivemind.log")
  const queue = createQueue()

  async function append(line: string): Promise<void> {
    if (!existsSync(paths.root)) return
    mkdirSync(paths.logDir)
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size > MAX_BYTES) renameSync(path, join(paths.logDir, "hivemind.1.log"))
    await appendFile(path, line)
  }

  return {
    log(level, message, detail) {
      if (LEVELS.indexOf(level) > LEVELS.indexOf(upTo())) return
      const at = new Date(now()).toISOString()
      const line = `${at} ${level} ${message}${detail === undefined ? "" : ` ${describe(detail)}`}`
      const bounded = `${maskSecrets(line.slice(0, 2 * MAX_LINE))
        .replaceAll("\n", "\n  ")
        .slice(0, MAX_LINE)}\n`
      queue.run(() => append(bounded)).catch(() => {}) // A log that cannot be written is not worth a turn.
    },
    idle: queue.idle,
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
