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

// Object.keys forgets the type of the keys.
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
// Object.keys forgets the type of the keys.
export const snapshotNames = Object.keys(snapshotFiles) as SnapshotFile[]

/** The snapshot that holds records of this kind. */
export function snapshotOf(kind: Kind): SnapshotFile {
  return snapshotOfKind[kind]
}

const entries = snapshotNames.flatMap((file) =>
  Object.values(snapshotFiles[file]).map((kind) => [kind, file]),
)
// Every kind is in one of the files; a test holds that.
const snapshotOfKind = Object.fromEntries(entries) as Record<Kind, SnapshotFile>
