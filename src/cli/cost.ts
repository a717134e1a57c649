import type { Command } from "commander"
import type { Spent } from "../schemas/spent.ts"
import { shorten } from "../shared/text/clean.ts"
import { type Ledger, type Line, ledgerOf, shortForm } from "../views/cost/ledger.ts"
import { type CostBy, listCosts } from "../views/look/costs.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { addListingOptions, listing, pagingOf } from "./terminal/listing.ts"
import { parseLimit } from "./terminal/parse-limit.ts"
import { parseTime } from "./terminal/parse-time.ts"
import { type Style, styleFor } from "./terminal/style.ts"

interface CostOptions {
  since?: string
  by?: CostBy
  limit: string
  page: string
  find?: string
}

/** What models took, by the host's own counts. Reads only. */
export const costCommand: CliCommand<CostOptions> = {
  configure(command: Command) {
    command
      .option("--since <time>", "only what was answered after: 2h, 3d, 2026-02-11, 2026-02-11T14:30")
      .addOption(
        command
          .createOption("--by <what>", "one list alone, the dearest first, with ids")
          .choices(["plan", "task", "session", "delegate", "model"]),
      )
    addListingOptions(command, "10").addHelpText("after", "\nExample: hivemind cost --since 7d --by task")
  },

  run: (input) =>
    withHive(input, async ({ project, hive }) => {
      const { since, limit, by, find } = input.options
      const from = since === undefined ? 0 : parseTime(since, "--since", hive.source.now())
      const ledger = await ledgerOf(hive, from)
      const style = styleFor(input.io.stdout, input.io.env)
      const isEmpty = ledger.total.answers === 0
      const empty = since === undefined ? NOTHING_YET : "Nothing was answered in that time."
      if (by !== undefined || find !== undefined) {
        const row = rowsOf(ledger)
        const paging = pagingOf(input.options)
        const page = listCosts(hive, ledger, { by: by ?? "plan", ...(find && { words: find }) }, paging)
        return listing(page, paging, {
          ...{ project, style, empty: isEmpty ? empty : "No such cost." },
          render: ({ short, title, spent }) => [row(by === "model" ? title : `${short} ${title}`, spent)],
        })
      }
      return {
        data: { project, ...ledger },
        text: isEmpty ? empty : ledgerText(ledger, parseLimit(limit), style),
      }
    }),
}

/** A line with its figures; money only where the host knows a price. */
function rowsOf({ total }: Ledger) {
  const hasPrice = total.cost > 0
  return (title: string, spent: Spent, depth = 0) => {
    const { fresh, cached, output, cost } = shortForm(spent)
    const name = shorten(title, TITLE_WIDTH - depth * 2)
    const figures = [fresh, cached, output].map((n) => n.toLocaleString("en-US").padStart(NUMBER_WIDTH))
    const money = hasPrice ? `${`$${cost.toFixed(cost < 1 ? 4 : 2)}`.padStart(NUMBER_WIDTH)}` : ""
    return `${" ".repeat(depth * 2)}${name.padEnd(TITLE_WIDTH - depth * 2)}${figures.join("")}${money}`
  }
}

function ledgerText(ledger: Ledger, limit: number, style: Style): string {
  const row = rowsOf(ledger)
  const part = <L extends Line>(
    head: string,
    lines: readonly L[],
    inner: (line: L) => string[] = () => [],
  ) => {
    if (lines.length === 0) return []
    const shown = lines.slice(0, limit).flatMap((line) => [row(line.title, line.spent, 1), ...inner(line)])
    const more = lines.length - limit
    return [
      "",
      style("bold", head),
      ...shown,
      ...(more > 0 ? [style("dim", `  ${more} more; \`--limit ${lines.length}\` shows them.`)] : []),
    ]
  }
  const columns = ["read anew", "from cache", "answered", ...(ledger.total.cost > 0 ? ["cost"] : [])]
  return [
    style("dim", " ".repeat(TITLE_WIDTH) + columns.map((name) => name.padStart(NUMBER_WIDTH)).join("")),
    row(`all ${ledger.total.answers} answers`, ledger.total),
    ...part("Plans", ledger.plans, ({ tasks }) =>
      tasks.slice(0, limit).map(({ title, spent }) => row(title, spent, 2)),
    ),
    ...(ledger.unplanned.answers === 0 ? [] : [row("without a task", ledger.unplanned, 1)]),
    ...part("Sessions, with their subagents", ledger.sessions),
    ...part("Delegates", ledger.delegates),
    ...part("Models", ledger.models),
  ].join("\n")
}

const NOTHING_YET =
  "Nothing was counted yet: OpenCode tells what each answer takes once the plugin runs in it."
const TITLE_WIDTH = 44
const NUMBER_WIDTH = 13
