import type { z } from "zod"
import { conflict } from "./conflict.ts"
import { anchor, artifact, mem } from "./knowledge.ts"
import { phase, plan } from "./plan.ts"
import { metrics, session, trajectory } from "./session.ts"
import { checkpoint, delegation, task } from "./task.ts"

/** Every kind of record, parents before children: the order in which links are checked. */
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
/** As it is added: fields with a default may be left out. */
export type NewRecordOf<K extends Kind> = z.input<(typeof recordSchemas)[K]>
export type AnyRecord = RecordOf<Kind>

// Object.keys forgets the type of the keys.
export const kinds = Object.keys(recordSchemas) as Kind[]

/** The plural of each kind: the name of its list in a part of the graph, and of its file. */
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
