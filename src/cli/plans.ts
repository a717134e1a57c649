import type { Command } from "commander"
import { plan as planSchema } from "../schemas/plan.ts"
import { runInSlices } from "../shared/slices.ts"
import { renderTree } from "../views/hierarchy/render.ts"
import { growTree } from "../views/hierarchy/tree.ts"
import { listPlans, type PlanFilter, planDetail } from "../views/look/plans.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand, CliResult } from "./terminal/command.ts"
import { addListingOptions, type ListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { planDetailText, planLines } from "./terminal/plan-text.ts"
import { styleFor } from "./terminal/style.ts"

interface PlansOptions extends ListingOptions {
  status?: NonNullable<PlanFilter["status"]>
}

/** All plans with how far they are, or one with all that belongs to it. Reads only. */
export const plansCommand: CliCommand<PlansOptions> = {
  configure(command: Command) {
    command
      .argument("[id]", "one plan in full: its id, or the start of it")
      .addOption(
        command
          .createOption("--status <status>", "only those")
          .choices(["open", "over", ...planSchema.shape.status.options]),
      )
    addListingOptions(command).addHelpText("after", "\nExample: hivemind plans --status open")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }): Promise<CliResult> => {
      const [id] = input.args
      const { status, find } = input.options
      const style = styleFor(input.io.stdout, input.io.env)
      const now = hive.source.now()
      if (id !== undefined) {
        const detail = await planDetail(hive, id)
        const { roots } = await runInSlices(growTree(hive.store.read().state, undefined))
        const tree = { roots: roots.filter((root) => root.id === detail.id), path: [] }
        const lines = renderTree(tree, { width: TREE_WIDTH, limit: TREE_NODES })
        return {
          data: { project, plan: detail, tree: tree.roots },
          text: planDetailText(detail, lines, now, style),
        }
      }
      const paging = pagingOf(input.options)
      const page = listPlans(hive, { ...(status && { status }), ...(find && { words: find }) }, paging)
      return listing(page, paging, {
        project,
        style,
        empty: status || find ? "No such plan." : "There are no plans yet: the first session makes one.",
        render: (plan) => planLines(plan, now, style),
      })
    }),
}

const TREE_WIDTH = 100
const TREE_NODES = 60
