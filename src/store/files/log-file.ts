import { dirname, join } from "node:path"
import { tryParse } from "../../schemas/checked.ts"
import type { Config } from "../../schemas/config.ts"
import { type InjectedText, injectedText, type RefusedCall, refusedCall } from "../../schemas/refusal.ts"
import type { Clock } from "../../shared/ids.ts"
import { createQueue } from "../../shared/queue.ts"
import { maskAll, maskSecrets } from "../../shared/secrets/mask.ts"
import { shorten } from "../../shared/text/clean.ts"
import { existsSync, fileSize, mkdirSync, renameSync, withFile, writeAsync } from "./hive-fs.ts"
import { jsonLines } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"

export type LogLevel = Config["log_level"]
export type Log = (level: LogLevel, message: string, detail?: unknown) => void

export function openLog(
  paths: HivePaths,
  now: Clock,
  upTo: () => LogLevel,
): { log: Log; idle: () => Promise<unknown> } {
  const older = join(paths.logDir, "hivemind.1.log")
  const { append, idle } = rotatingFile(join(paths.logDir, "hivemind.log"), older, paths.root, LOG_BYTES)
  return {
    log(level, message, detail) {
      if (LEVELS.indexOf(level) > LEVELS.indexOf(upTo())) return
      const at = new Date(now()).toISOString()
      const line = `${at} ${level} ${message}${detail === undefined ? "" : ` ${describe(detail)}`}`
      const masked = maskSecrets(line.slice(0, 2 * MAX_LINE)).replaceAll("\n", "\n  ")
      append(`${masked.slice(0, MAX_LINE)}\n`)
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

/** `state/refusals.jsonl`. Refusals are not in the graph: repeated ones must not fill the graph's log or take its lock. */
export function refusalFile({ refusals, olderRefusals, graph }: HivePaths) {
  const lines = rotatingLines(refusals, olderRefusals, graph)
  return {
    add(refused: RefusedCall): void {
      const { what, why, use_instead, evidence, files, command } = refused
      const short = (text: string) => shorten(text.slice(0, MAX_READ), MAX_TEXT)
      lines.add(
        maskAll({
          ...refused,
          ...{
            what: short(what),
            why: short(why),
            use_instead: short(use_instead),
            evidence: short(evidence),
          },
          files: files.slice(0, MAX_FILES).map(short),
          command: command === null ? null : short(command),
        }),
      )
    },
    read: (): RefusedCall[] => lines.read().flatMap((line) => tryParse(refusedCall, line).data ?? []),
    idle: lines.idle,
  }
}

/** `state/told.jsonl`: texts that HiveMind sent to models during turns. They are not in the graph. */
export function injectedTextFile({ told: path, olderTold: older, graph }: HivePaths) {
  const lines = rotatingLines(path, older, graph, TOLD_BYTES)
  return {
    add: (each: InjectedText): void => lines.add(maskAll(each)),
    read: (session: string): InjectedText[] =>
      lines
        .read(session)
        .flatMap((line) => tryParse(injectedText, line).data ?? [])
        .filter((each) => each.session === session),
    idle: lines.idle,
  }
}

/** Writes nothing unless the folder `graph` exists, that is, unless HiveMind is set up. */
export function rotatingLines(path: string, older: string, graph: string, maxBytes = LINES_BYTES) {
  const { append, idle } = rotatingFile(path, older, graph, maxBytes)
  return {
    add: (value: unknown): void => append(`\n${JSON.stringify(value)}`),
    /** Returns the values of lines that contain this text, oldest first. */
    read: (having?: string): unknown[] => [older, path].flatMap((each) => jsonLines(each).read(having)),
    idle,
  }
}

/** Renames a full file to `older`. Appending never throws, and writes nothing if `requiredFolder` is missing. */
function rotatingFile(path: string, older: string, requiredFolder: string, maxBytes: number) {
  const queue = createQueue()

  async function write(text: string): Promise<void> {
    if (!existsSync(requiredFolder)) return
    mkdirSync(dirname(path))
    if (fileSize(path) > maxBytes) renameSync(path, older)
    await withFile(path, "a", (fd) => writeAsync(fd, Buffer.from(text)))
  }

  return {
    append(text: string): void {
      queue.run(() => write(text)).catch(() => {}) // The logged call must not fail because of the log.
    },
    idle: queue.idle,
  }
}

const LEVELS: LogLevel[] = ["error", "info", "debug"]
const MAX_LINE = 8000
const LOG_BYTES = 512 * 1024
const LINES_BYTES = 256 * 1024
// The size at which `told.jsonl` is rotated: replies are longer than refusals, and a session has many.
const TOLD_BYTES = 2 * 1024 * 1024
const MAX_TEXT = 500
const MAX_READ = 8000
const MAX_FILES = 20
