import * as z from "zod"
import type { Hive } from "../hive/hive.ts"
import { documentsView, driftView, mapView, onboardingView, techView } from "../views/project-map.ts"
import { action, defineTool, progressOf, type ToolCaller } from "./tool.ts"

export const scanTool = defineTool(
  "scan",
  "Know the project without reading it: frameworks, commands, documents. onboard: with a profile. drift: since the last scan.",
  {
    full: action({ onboard: z.boolean().optional() }, async (hive, caller, args) => {
      if (args.onboard !== true) return mapView(await scanned(hive, caller, "full"))
      const { onboard } = await import("../knowledge/project/onboard.ts")
      const done = await onboard(hive, caller, progressOf(caller))
      const past = await hive.pastSessions?.()
      if (past !== undefined) done.proposal.questions.push(past)
      return onboardingView(done)
    }),
    incremental: action({}, async (hive, caller) => mapView(await scanned(hive, caller))),
    drift: action({}, async (hive, caller) => {
      const { detectDrift } = await import("../knowledge/project/scan-hive.ts")
      return driftView((await detectDrift(hive, progressOf(caller))).drift)
    }),
    frameworks: action({}, async (hive, caller) => techView((await scanned(hive, caller)).map)),
    documents: action({}, async (hive, caller) => documentsView((await scanned(hive, caller)).map)),
  },
)

async function scanned(hive: Hive, caller: ToolCaller, mode: "full" | "incremental" = "incremental") {
  const { scanHive } = await import("../knowledge/project/scan-hive.ts")
  return scanHive(hive, caller, mode, progressOf(caller))
}
