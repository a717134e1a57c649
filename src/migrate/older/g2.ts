import { readAnchors } from "./anchors.ts"
import { readBrain } from "./brain.ts"
import { keptDocument, leftDocument, madeAnew, readExport } from "./documents.ts"
import { readOrphans, readPhases, readPlans, readTasks } from "./graph.ts"
import { readHead, readLineage } from "./graph-head.ts"
import type { Layout } from "./layout.ts"
import { readMems } from "./mems.ts"
import { readTodos } from "./todos.ts"
import { readTree } from "./tree.ts"

/** Folders in `.hivemind/`, later with a graph. Some of the names are those of HiveMind 0.1. */
export const g2: Layout = {
  name: "G2/G3",
  folder: ".hivemind",
  files: [
    { path: "graph/plans.json", step: "graph", read: readPlans, isShared: true },
    { path: "graph/phases.json", step: "graph", read: readPhases },
    { path: "graph/tasks.json", step: "graph", read: readTasks, isShared: true },
    { path: "graph/trajectory.json", step: "graph", read: readHead, isShared: true },
    { path: "graph/task-id-lineage-map.json", step: "graph", read: readLineage },
    { path: "state/hierarchy.json", step: "tree", read: readTree },
    { path: "state/brain.json", step: "state", read: readBrain, isShared: true },
    { path: "state/tasks.json", step: "todos", read: readTodos },
    { path: "state/anchors.json", step: "anchors", read: readAnchors, isShared: true },
    { path: "memory/mems.json", step: "mems", read: readMems },
    { path: "graph/mems.json", step: "mems", read: readMems, isShared: true },
    { path: "graph/orphans.json", step: "orphans", read: readOrphans, isShared: true },
    ...["", "state/", "memory/", "plans/", "codemap/", "codewiki/"].map(
      (folder) => ({ path: `${folder}manifest.json`, step: "documents", read: madeAnew }) as const,
    ),
    {
      path: "sessions",
      step: "documents",
      read: readExport,
      names: /^session-.*\.json$/,
      stays: true,
      isCommon: true,
    },
    {
      path: "sessions/active",
      step: "documents",
      read: keptDocument,
      names: /\.md$/,
      stays: true,
      isCommon: true,
    },
    // Our own are called by a stamp and a number.
    {
      path: "sessions/archive/exports",
      step: "documents",
      read: readExport,
      names: /^(?!\d{10,12}(-\d+)?-\d{3,}\.json$).*\.json$/,
      stays: true,
      isCommon: true,
    },
    {
      path: "sessions/archive/exports",
      step: "documents",
      read: keptDocument,
      names: /\.md$/,
      stays: true,
      isCommon: true,
    },
    { path: "plans", step: "documents", read: leftDocument, names: /\.md$/, stays: true, isCommon: true },
  ],
}
