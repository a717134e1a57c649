import type { Command } from "commander"
import { onboard } from "../knowledge/project/onboard.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { fileProgress } from "./terminal/file-progress.ts"
import { onboardingText } from "./terminal/scan-text.ts"
import { styleFor } from "./terminal/style.ts"

interface OnboardOptions {
  dryRun?: boolean
}

/** Gets to know the project: scan, profile, first mems, and what it proposes. Changes no configuration. */
export const onboardCommand: CliCommand<OnboardOptions> = {
  configure(command: Command) {
    command
      .option("--dry-run", "write nothing, and print the profile")
      .addHelpText("after", "\nExample: hivemind onboard --dry-run")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const progress = fileProgress(input.io)
      const dryRun = input.options.dryRun === true
      const caller = { session: null, agent: null, tool: "hivemind onboard" }
      const done = await onboard(hive, caller, { dryRun, onProgress: progress.show }).finally(progress.clear)
      const { scan, profile, proposal } = done
      const { text, ...written } = profile
      const mems = scan.facts?.made.map(({ id, content }) => ({ id, content })) ?? []
      return {
        data: { project, dry_run: dryRun, profile: dryRun ? profile : written, mems, proposal },
        text: dryRun ? text : onboardingText(done, styleFor(input.io.stdout, input.io.env)),
      }
    }),
}
