import type { z } from "zod"
import { conflict } from "./conflict.ts"
import { anchor, artifact, mem } from "./knowledge.ts"
import { phase, plan } from "./plan.ts"
import { metrics, session, trajectory } from "./session.ts"
import { checkpoint, delegation, task } from "./task.ts"

/** The schema of every kind of record. Parents come before children, so that links are checked in this order. */
export const recordSchemas = {
  session,
  trajectory,
  plan,
  phase,
  task,
  mem,
  anchor,
  artifact,
  checkpoint,
  delegation,
  conflict,
  metrics,
} as const

export type Kind = keyof typeof recordSchemas
export type RecordOf<K extends Kind> = z.infer<(typeof recordSchemas)[K]>
export type NewRecordOf<K extends Kind> = z.input<(typeof recordSchemas)[K]>
export type AnyRecord = RecordOf<Kind>

// The cast restores the keys' type, which Object.keys returns as string[].
export const kinds = Object.keys(recordSchemas) as Kind[]

/** The plural of each kind: it names the kind's files, and the list of records in each file. */
export const sectionNames: Readonly<Record<Kind, string>> = {
  session: "sessions",
  trajectory: "trajectories",
  plan: "plans",
  phase: "phases",
  task: "tasks",
  mem: "mems",
  anchor: "anchors",
  artifact: "artifacts",
  checkpoint: "checkpoints",
  delegation: "delegations",
  conflict: "conflicts",
  metrics: "metrics",
}
