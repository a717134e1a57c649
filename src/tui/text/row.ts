import { duration } from "../../shared/time.ts"
import type { Line } from "./line.ts"

/** What a row is about, for whoever does something with it. */
export type Subject =
  | { kind: "mem"; id: string; content: string }
  | { kind: "task"; id: string; title: string; isHeld: boolean }
  | { kind: "decision"; id: string; content: string }
  | { kind: "conflict"; id: string; stands: string; lost: string }

/** One thing in a list of the screen, which can be chosen and opened. */
export interface Row {
  lines: Line[]
  /** All of it, as paragraphs of any length; left out where its lines are all. */
  whole?: string[]
  of?: Subject
}

/** Seconds would stand still until the next look. */
export function ago(at: string, now: number): string {
  const ms = now - Date.parse(at)
  return ms < JUST_NOW_MS ? "just now" : `${duration(ms)} ago`
}

const JUST_NOW_MS = 120_000
