import * as z from "zod"
import { exportPath, pruneExports, summarizeExports } from "../views/export/export-folder.ts"
import { exportSession } from "../views/export/export-session.ts"
import { action, defineTool } from "./tool.ts"

export const cycleTool = defineTool(
  "cycle",
  "Export the state of this session to a file; done by itself after changes.",
  {
    export: action({}, async (hive, caller) => {
      const { name, record, synthesis } = await exportSession(hive, caller, caller.session)
      const { is_complete, issues } = record.validation
      return {
        entity_id: name,
        file: exportPath(hive, name),
        is_complete,
        issues: issues.map(({ text }) => text),
        ...(synthesis === null ? {} : { synthesis: synthesis.id }),
      }
    }),
    list: action({}, (hive) => {
      const { exports, skipped } = summarizeExports(hive)
      return {
        count: exports.length,
        exports: exports.slice(0, LIST_LIMIT),
        left_alone: skipped.slice(0, LIST_LIMIT),
        ...(skipped.length > LIST_LIMIT ? { left_alone_count: skipped.length } : {}),
      }
    }),
    prune: action({ keep: z.int().min(0).optional() }, (hive, _caller, { keep }) => {
      const { kept, removed } = pruneExports(hive, keep)
      return { kept, removed: removed.length }
    }),
  },
)

const LIST_LIMIT = 20
