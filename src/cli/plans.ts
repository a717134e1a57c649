import { plan as planSchema } from "../schemas/plan.ts"
import { counted } from "../shared/amounts.ts"
import { runInSlices } from "../shared/slices.ts"
import { readableStamp } from "../shared/stamp.ts"
import { shorten } from "../shared/text/clean.ts"
import { duration, localTime } from "../shared/time.ts"
import { renderTree } from "../views/hierarchy/render.ts"
import { growTree } from "../views/hierarchy/tree.ts"
import {
  listPlans,
  type PlanDetail,
  type PlanFilter,
  type PlanRow,
  planDetail,
} from "../views/lists/plans.ts"
import { abandonPlan, archivePlan } from "../work/plan/end.ts"
import { withHive } from "./project/open-project.ts"
import { changeForPerson, requireIdArgument } from "./project/person-change.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { memLine, refusalLine, spentText } from "./terminal/detail-text.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, choiceOption, definedOnly, type ListingOptions } from "./terminal/options.ts"
import { fieldLines, firstLines, type Style } from "./terminal/style.ts"

interface PlansOptions extends ListingOptions {
  status?: NonNullable<PlanFilter["status"]>
  archive?: boolean
  abandon?: boolean
  reason?: string
}

export const command: CliCommand<PlansOptions> = {
  configure(plans) {
    const statuses = ["open", "over", ...planSchema.shape.status.options]
    plans
      .argument("[id]", "one plan in full: its id, or the start of it")
      .addOption(choiceOption("--status <status>", "only plans with that status", statuses))
      .option("--archive", "archive the plan; all of its tasks must be over")
      .addOption(plans.createOption("--abandon", "give up the plan and its open tasks").conflicts("archive"))
      .option("--reason <reason>", "with --abandon: why")
    addListingOptions(plans)
  },

  help: `Examples: hivemind plans --status open
          hivemind plans 1a2b3c4d --abandon --reason "superseded by the rewrite"`,

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [id] = input.args
      const { status, find, archive, abandon, reason = "abandoned by the user" } = input.options
      if (archive || abandon) {
        const wanted = requireIdArgument(id, "plans", archive ? "--archive" : "--abandon")
        return changeForPerson(input, hive, "plans", async (caller) => {
          const ended = archive
            ? await archivePlan(hive, caller, wanted)
            : await abandonPlan(hive, caller, wanted, reason)
          const how = archive ? "archived" : "abandoned; its open tasks end with the next session"
          return { data: { ...ended }, text: `The plan "${ended.plan.title}" is ${how}.` }
        })
      }
      const { style } = input
      const now = hive.source.now()
      if (id !== undefined) {
        const plan = await planDetail(hive, id)
        const { roots } = await runInSlices(growTree(hive.store.read().state, undefined))
        const tree = roots.filter((root) => root.id === plan.id)
        const shape = { width: 100, limit: 60 }
        const drawn = renderTree({ roots: tree, path: [] }, shape)
        const text = [...detailLines(plan, now, style), ...(drawn.length === 0 ? [] : ["", ...drawn])]
        return { data: { plan, tree }, text }
      }
      const filter = definedOnly({ status, words: find })
      return listing(input, listPlans(hive, filter, input.options), {
        filter,
        none: "There are no plans yet: the first session makes one.",
        noneFound: "No such plan.",
        render: (plan) => planLines(plan, now, style),
      })
    }),
}

function planLines(plan: PlanRow, now: number, style: Style): string[] {
  const { short, title, status, tasks, sessions, isOpen } = plan
  const progress = textLines([
    `${tasks.done} of ${counted(tasks.all, "task")} done`,
    tasks.under_way > 0 && `${tasks.under_way} under way`,
    tasks.given_up > 0 && `${tasks.given_up} given up`,
  ])
  const facts = textLines([
    status,
    tasks.all === 0 ? "no tasks yet" : progress.join(", "),
    `created ${localTime(plan.created_at)}`,
    `last active ${duration(now - Date.parse(plan.updated_at))} ago`,
    sessions.length > 0 && `session of ${sessions.map(readableStamp).join(", ")}`,
  ])
  const name = shorten(title, 90)
  return [
    `${style("cyan", short)} ${style("green", sessions.length > 0 ? "▶" : " ")} ${isOpen ? style("bold", name) : name}`,
    `${" ".repeat(short.length)}   ${style("dim", facts.join(" · "))}`,
  ]
}

function detailLines(plan: PlanDetail, now: number, style: Style): string[] {
  const { record, files, mems, refusals, spent } = plan
  const fields = {
    "accepted if": record.acceptance,
    document: record.sot_document_path,
    "after plans": record.depends_on,
    branch: record.branch,
    reason: record.reason,
    spent: spentText(spent),
    files: firstLines(files),
    mems: firstLines(mems.map(memLine)),
    refused: firstLines(refusals.map(refusalLine)),
  }
  return [...planLines(plan, now, style), "", ...fieldLines(fields, style)]
}
