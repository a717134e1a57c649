import * as z from "zod"
import { line } from "../schemas/fields.ts"
import { runInSlices } from "../shared/slices.ts"
import { inspectDeep } from "../views/inspect/deep.ts"
import { inspectScan } from "../views/inspect/scan.ts"
import { inspectTrace } from "../views/trace.ts"
import { acknowledge } from "../watch/count-event.ts"
import { driftReport } from "../watch/drift-report.ts"
import { action, defineTool } from "./tool.ts"

export const inspectTool = defineTool(
  "inspect",
  "scan: what is open or stale. deep: a record and its relations. drift: warnings; acknowledge silences one. trace: everything with a stamp.",
  {
    scan: action({}, async (hive, caller) => ({ ...(await runInSlices(inspectScan(hive, caller.session))) })),
    deep: action({ id: z.string().trim().min(1).max(200).optional() }, async (hive, caller, args) => ({
      ...(await inspectDeep(hive, caller.session, args.id)),
    })),
    drift: action({ acknowledge: line.optional() }, async (hive, caller, args) => {
      if (args.acknowledge !== undefined) await acknowledge(hive, caller, args.acknowledge)
      return { ...driftReport(hive, caller.session) }
    }),
    trace: action({ stamp: line }, async (hive, _caller, { stamp }) => ({
      ...(await inspectTrace(hive, stamp)),
    })),
  },
)
