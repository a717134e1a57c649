import type { Command } from "commander"
import type { HiveScan } from "../knowledge/project/scan-hive.ts"
import { lookForDrift, scanHive } from "../knowledge/project/scan-hive.ts"
import { withHive } from "./project/open-project.ts"
import { cleanValues } from "./terminal/clean-values.ts"
import type { CliCommand } from "./terminal/command.ts"
import { fileProgress } from "./terminal/file-progress.ts"
import { documentsText, driftText, mapText, techText } from "./terminal/scan-text.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface ScanOptions {
  full?: boolean
}

/** What the project is: scans what has changed, keeps the map, and shows it. */
export const scanCommand: CliCommand<ScanOptions> = {
  configure(command: Command) {
    command
      .addArgument(command.createArgument("[what]", "what to show (default: map)").choices(WHAT))
      .option("--full", "read every file again, not only what has changed")
      .addHelpText("after", "\nExample: hivemind scan documents")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const [what = "map"] = input.args
      const style = styleFor(input.io.stdout, input.io.env)
      const progress = fileProgress(input.io)
      const options = { onProgress: progress.show }
      try {
        if (what === "drift") {
          const { drift } = await lookForDrift(hive, options)
          return {
            data: { project, scanned: drift !== null, ...drift },
            text: driftText(cleanValues(drift), style),
          }
        }
        const caller = { session: null, agent: null, tool: "hivemind scan" }
        const how = input.options.full === true ? "full" : "incremental"
        const scan = await scanHive(hive, caller, how, options)
        progress.clear()
        return { data: { project, ...dataOf(scan, what) }, text: textOf(cleanValues(scan), what, style) }
      } finally {
        progress.clear()
      }
    }),
}

function dataOf({ map, drift, facts }: HiveScan, what: string): Record<string, unknown> {
  const { frameworks, managers, packages, commands, documents, dead_references } = map
  if (what === "frameworks") return { frameworks, managers, packages, commands }
  if (what === "documents") return { documents, dead_references }
  return { map, drift, mems: facts?.made.map(({ id, content }) => ({ id, content })) ?? [] }
}

function textOf(scan: HiveScan, what: string, style: Style): string {
  if (what === "frameworks") return techText(scan.map, style).join("\n")
  if (what === "documents") return documentsText(scan.map, style)
  return mapText(scan, style)
}

const WHAT = ["map", "drift", "frameworks", "documents"]
