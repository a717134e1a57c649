import { readBrain } from "./brain.ts"
import { leftDocument, readNotes } from "./documents.ts"
import type { Layout } from "./layout.ts"
import { readSettings } from "./settings.ts"

/** The first of them: `.opencode/planning/`, with three lines of text for a plan. */
export const g0: Layout = {
  name: "G0",
  folder: ".opencode/planning",
  files: [
    { path: "brain.json", step: "state", read: readBrain },
    { path: "config.json", step: "settings", read: readSettings },
    { path: "active.md", step: "documents", read: readNotes, isCommon: true },
    { path: "index.md", step: "documents", read: leftDocument, isCommon: true },
    { path: "archive", step: "documents", read: readNotes, names: /\.(md|json)$/, isCommon: true },
  ],
}
