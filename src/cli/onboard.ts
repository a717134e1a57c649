import { relative } from "node:path"
import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import { onboard } from "../knowledge/project/onboard.ts"
import type { Proposal } from "../knowledge/project/propose.ts"
import { hivePaths } from "../store/files/layout.ts"
import { readText, replaceText } from "../store/files/text-file.ts"
import { withScopes } from "./install/path-scopes.ts"
import { withHive } from "./project/open-project.ts"
import { cleanValues } from "./terminal/clean-values.ts"
import type { CliCommand } from "./terminal/command.ts"
import { fileProgress } from "./terminal/file-progress.ts"
import { type AppliedScopes, onboardingText } from "./terminal/scan-text.ts"
import { styleFor } from "./terminal/style.ts"

interface OnboardOptions {
  dryRun?: boolean
  apply?: boolean
}

/** Gets to know the project: scan, profile, first mems, and what it proposes. Changes no configuration unless it is told to. */
export const onboardCommand: CliCommand<OnboardOptions> = {
  configure(command: Command) {
    command
      .option("--dry-run", "write nothing, and print the profile")
      .option("--apply", "put the proposed path scopes into .hivemind/system/config.json, and show them")
      .addHelpText("after", "\nExample: hivemind onboard --apply")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const progress = fileProgress(input.io)
      const dryRun = input.options.dryRun === true
      const caller = { session: null, agent: null, tool: "hivemind onboard" }
      const done = await onboard(hive, caller, { dryRun, onProgress: progress.show }).finally(progress.clear)
      const { scan, profile, proposal } = done
      const { text, ...written } = profile
      const applied = input.options.apply === true && !dryRun ? applyScopes(hive, proposal) : null
      const mems = scan.facts?.made.map(({ id, content }) => ({ id, content })) ?? []
      return {
        data: { project, dry_run: dryRun, profile: dryRun ? profile : written, mems, proposal, applied },
        text: dryRun
          ? text
          : onboardingText(cleanValues(done), styleFor(input.io.stdout, input.io.env), applied),
      }
    }),
}

/** Writes the proposed scopes into the project's configuration; tells what was written and where. */
function applyScopes(hive: Hive, { config, because }: Proposal): AppliedScopes {
  const file = hivePaths(hive.home).config
  const path = relative(hive.home, file)
  if (config === null) return { path, added: [] }
  const before = readText(file) ?? ""
  const after = withScopes(before, path, config.path_scopes)
  if (after !== before) replaceText(file, after)
  return { path, added: because }
}
