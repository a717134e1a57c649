import * as z from "zod"
import type { ScanOptions } from "../knowledge/project/scan-hive.ts"
import { documentsView, driftView, mapView, onboardingView, techView } from "./scan-reply.ts"
import { action, defineTool, type ToolCaller } from "./tool.ts"

export const scanTool = defineTool(
  "scan",
  "Know the project without reading it: frameworks, commands, documents. onboard: with a profile. drift: since the last scan.",
  {
    full: action({ onboard: z.boolean().optional() }, async (hive, caller, args) => {
      if (args.onboard === true) {
        const { onboard } = await import("../knowledge/project/onboard.ts") // Scanning is loaded when it is asked for.
        return onboardingView(await onboard(hive, caller, shown(caller)))
      }
      const { scanHive } = await import("../knowledge/project/scan-hive.ts")
      return mapView(await scanHive(hive, caller, "full", shown(caller)))
    }),
    incremental: action({}, async (hive, caller) => {
      const { scanHive } = await import("../knowledge/project/scan-hive.ts")
      return mapView(await scanHive(hive, caller, "incremental", shown(caller)))
    }),
    drift: action({}, async (hive, caller) => {
      const { lookForDrift } = await import("../knowledge/project/scan-hive.ts")
      return driftView((await lookForDrift(hive, shown(caller))).drift)
    }),
    frameworks: action({}, async (hive, caller) => {
      const { scanHive } = await import("../knowledge/project/scan-hive.ts")
      return techView((await scanHive(hive, caller, "incremental", shown(caller))).map)
    }),
    documents: action({}, async (hive, caller) => {
      const { scanHive } = await import("../knowledge/project/scan-hive.ts")
      return documentsView((await scanHive(hive, caller, "incremental", shown(caller))).map)
    }),
  },
)

/** A long scan shows how far it is, and ends when the user stops the turn. */
function shown({ running: { show, signal } }: ToolCaller): ScanOptions {
  return {
    signal,
    onProgress: (done, total) => show({ title: `${done} of ${total} files`, output: "" }),
  }
}
