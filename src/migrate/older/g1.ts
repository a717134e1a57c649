import { readAnchors } from "./anchors.ts"
import { readBrain } from "./brain.ts"
import { keptDocument } from "./documents.ts"
import type { Layout } from "./layout.ts"
import { readMems } from "./mems.ts"
import { readSessions } from "./sessions.ts"
import { readSettings } from "./settings.ts"
import { readTree } from "./tree.ts"

/** Flat files in `.hivemind/`. */
export const g1: Layout = {
  name: "G1",
  folder: ".hivemind",
  files: [
    { path: "hierarchy.json", step: "tree", read: readTree },
    { path: "sessions/manifest.json", step: "sessions", read: readSessions, isShared: true },
    { path: "brain.json", step: "state", read: readBrain },
    { path: "anchors.json", step: "anchors", read: readAnchors },
    { path: "mems.json", step: "mems", read: readMems },
    { path: "config.json", step: "settings", read: readSettings },
    {
      path: "sessions",
      step: "documents",
      read: keptDocument,
      names: /^\d{10,12}(-\d+)?\.md$/,
      stays: true,
      isCommon: true,
    },
    {
      path: "sessions/archive",
      step: "documents",
      read: keptDocument,
      names: /\.md$/,
      stays: true,
      isCommon: true,
    },
  ],
}
