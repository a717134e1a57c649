import type { z } from "zod"
import { anchor, artifact, mem } from "./knowledge.ts"
import { phase, plan } from "./plan.ts"
import { metrics, session, trajectory } from "./session.ts"
import { checkpoint, delegation, task } from "./task.ts"

/** Every kind of record, parents before children: the order in which snapshots are written and links are checked. */
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
  metrics,
} as const

export type Kind = keyof typeof recordSchemas
export type RecordOf<K extends Kind> = z.infer<(typeof recordSchemas)[K]>
export type AnyRecord = RecordOf<Kind>

export const kinds = Object.keys(recordSchemas) as Kind[]

/** Which snapshot holds which kinds, each as an array of that name, relative to `.hivemind/`. */
export const snapshotFiles = {
  "sessions/manifest.json": { sessions: "session" },
  "graph/trajectory.json": { trajectories: "trajectory" },
  "graph/plans.json": { plans: "plan", phases: "phase" },
  "graph/tasks.json": { tasks: "task", checkpoints: "checkpoint", delegations: "delegation" },
  "graph/mems.json": { mems: "mem" },
  "graph/artifacts.json": { artifacts: "artifact" },
  "state/anchors.json": { anchors: "anchor" },
  "state/brain.json": { metrics: "metrics" },
} as const satisfies Record<string, Record<string, Kind>>

export type SnapshotFile = keyof typeof snapshotFiles
export const snapshotNames = Object.keys(snapshotFiles) as SnapshotFile[]
