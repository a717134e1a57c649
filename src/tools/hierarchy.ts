import { shortId } from "../shared/ids.ts"
import { runInSlices } from "../shared/slices.ts"
import { shorten } from "../shared/text/clean.ts"
import { hierarchyStatus } from "../views/hierarchy/render.ts"
import { prune } from "../views/hierarchy/tree.ts"
import { action, defineTool } from "./tool.ts"

export const hierarchyTool = defineTool(
  "hierarchy",
  "All plans and tasks as a tree. prune: fold what is finished.",
  {
    status: action({}, (hive, caller) => runInSlices(hierarchyStatus(hive, caller.session))),
    prune: action({}, async (hive, caller) => {
      const { folded, entry } = await prune(hive, caller)
      if (entry === null)
        return {
          folded: [],
          note: "There is nothing to fold: all finished plans and phases are folded already.",
        }
      const shown = folded
        .slice(0, LIST_LIMIT)
        .map(({ id, title, tasks }) => ({ id: shortId(id), title: shorten(title, MAX_TITLE), tasks }))
      return { count: folded.length, folded: shown, undo: `hivemind undo ${shortId(entry.id)}` }
    }),
    migrate: action({}, async (hive) => {
      const { migrate } = await import("../migrate/migrate.ts") // Most projects never migrate.
      const { report, moves } = await migrate(hive)
      if (report === null) return { taken: {}, note: "There is nothing to migrate." }
      const { sources, taken, quarantined } = report
      const shown = { sources, taken, quarantined: quarantined.slice(0, LIST_LIMIT) }
      return { ...shown, kept_as_bak: moves.length, undo: "hivemind import migrate --undo" }
    }),
  },
)

const LIST_LIMIT = 20
const MAX_TITLE = 80
