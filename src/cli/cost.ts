import type { Spent } from "../schemas/usage.ts"
import { shorten } from "../shared/text/clean.ts"
import { type CostBy, type Ledger, type Line, ledgerOf, listCosts, shortForm } from "../views/lists/costs.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { grouped, moneyText } from "./terminal/detail-text.ts"
import { listing } from "./terminal/listing.ts"
import {
  addListingOptions,
  choiceOption,
  definedOnly,
  type ListingOptions,
  timeOption,
} from "./terminal/options.ts"
import type { Style } from "./terminal/style.ts"

export const command: CliCommand<ListingOptions & { since?: number; by?: CostBy }> = {
  configure(cost) {
    const lists: CostBy[] = ["plan", "task", "session", "delegate", "model"]
    cost
      .addOption(timeOption("--since <time>", "only answers after this time"))
      .addOption(
        choiceOption(
          "--by <what>",
          "list the cost by one of these, the most expensive first, with ids",
          lists,
        ),
      )
    addListingOptions(cost, 10)
  },

  help: "Example: hivemind cost --since 7d --by task",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { since, limit, by, find } = input.options
      const ledger = await ledgerOf(hive, since ?? 0)
      const isEmpty = ledger.total.answers === 0
      const empty = since === undefined ? NOTHING_YET : "There were no answers in that time."
      if (by === undefined && find === undefined)
        return { data: { ...ledger }, text: isEmpty ? empty : ledgerLines(ledger, limit, input.style) }
      const row = rowWriter(ledger)
      const wanted = { by: by ?? "plan", ...definedOnly({ words: find }) } as const
      return listing(input, listCosts(hive, ledger, wanted, input.options), {
        filter: {},
        none: isEmpty ? empty : "No entry matches `--find`.",
        noneFound: "",
        render: ({ short, title, spent }) => [row(by === "model" ? title : `${short} ${title}`, spent)],
      })
    }),
}

function rowWriter({ total }: Ledger) {
  return (title: string, spent: Spent, depth = 0) => {
    const { fresh, cached, output, cost } = shortForm(spent)
    const width = TITLE_WIDTH - depth * 2
    const figures = [...[fresh, cached, output].map(grouped), ...(total.cost > 0 ? [moneyText(cost)] : [])]
    const columns = figures.map((text) => text.padStart(NUMBER_WIDTH)).join("")
    return `${" ".repeat(depth * 2)}${shorten(title, width).padEnd(width)}${columns}`
  }
}

function ledgerLines(ledger: Ledger, limit: number, style: Style): string[] {
  const row = rowWriter(ledger)
  const part = <L extends Line>(
    title: string,
    lines: readonly L[],
    innerLines: (line: L) => string[] = () => [],
  ) => {
    if (lines.length === 0) return []
    const shown = lines
      .slice(0, limit)
      .flatMap((line) => [row(line.title, line.spent, 1), ...innerLines(line)])
    const more = lines.length - limit
    const note = more > 0 ? [style("dim", `  ${more} more; \`--limit ${lines.length}\` shows them.`)] : []
    return ["", style("bold", title), ...shown, ...note]
  }
  const columns = ["fresh input", "from cache", "output", ...(ledger.total.cost > 0 ? ["cost"] : [])]
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
  ]
}

const NOTHING_YET = "No tokens were counted yet: OpenCode reports token usage once the plugin runs in it."
const TITLE_WIDTH = 44
const NUMBER_WIDTH = 13
