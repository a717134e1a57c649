import { type Command, InvalidArgumentError, Option } from "commander"

type NumberRange = { min?: number; max?: number; fallback?: number; isDecimal?: boolean }

export function numberOption(
  flags: string,
  description: string,
  { min = 1, max = 999_999_999, fallback, isDecimal = false }: NumberRange = {},
): Option {
  const option = new Option(flags, description).argParser((text) => {
    const value = Number(text)
    const isNumber = isDecimal ? /^\d+(\.\d+)?$/.test(text) : /^\d+$/.test(text)
    if (isNumber && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a ${isDecimal ? "" : "whole "}number from ${min} to ${max}.`)
  })
  return fallback === undefined ? option : option.default(fallback)
}

export function timeOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: 2h, 3d, 2026-02-11, 2026-02-11T14:30`).argParser((text) =>
    parseTime(text, Date.now()),
  )
}

/** Parses a time: `45m`, `2h`, `3d` or `1w` ago, or an ISO date, which is local unless it names a zone. */
export function parseTime(text: string, now: number): number {
  const [, amount, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  if (amount !== undefined && unit !== undefined) return now - Number(amount) * (UNIT_MS[unit] ?? 0)
  if (ISO.test(text)) {
    // JavaScript reads a date without a time as UTC, but people mean local midnight.
    const time = Date.parse(text.length === "2026-02-11".length ? `${text}T00:00` : text.replace(" ", "T"))
    if (!Number.isNaN(time)) return time
  }
  throw new InvalidArgumentError(
    "A time is a date (2026-02-11, 2026-02-11T14:30) or an age (45m, 2h, 3d, 1w).",
  )
}

export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices)
}

export function addCommonOptions(command: Command): Command {
  return command
    .option("--dir <folder>", "the project's folder (default: here)")
    .option("--json", "print one JSON document, for programs")
}

export interface ListingOptions {
  limit: number
  page: number
  find?: string
}

export function addListingOptions(command: Command, limit = 20): Command {
  return command
    .option("--find <words>", "only items with all of these words")
    .addOption(numberOption("--limit <n>", "how many items per page", { fallback: limit }))
    .addOption(numberOption("--page <n>", "which page of the list, from 1", { fallback: 1 }))
}

export function definedOnly<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

const ISO = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/
const UNIT_MS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
