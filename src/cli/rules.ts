import { isAbsolute, relative, resolve } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { purgeMems } from "../knowledge/memory/change.ts"
import { listRules, REPEATED, scopeIn, textWithRules } from "../knowledge/memory/keep-rules.ts"
import { newMem, saveAndCompare } from "../knowledge/memory/save.ts"
import { instructionIn } from "../knowledge/rules/find-rules.ts"
import { checked } from "../schemas/checked.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { memDetail } from "../views/lists/mems.ts"
import { readConfigFile, replaceConfigFile } from "./install/config-file.ts"
import { withHive } from "./project/open-project.ts"
import { changeForPerson } from "./project/person-change.ts"
import type { CliCommand, CliInput, CliResult } from "./terminal/command.ts"
import { comparedLines } from "./terminal/detail-text.ts"
import { requirePerson } from "./terminal/person.ts"
import type { Style } from "./terminal/style.ts"

interface RulesOptions {
  add?: string
  edit?: string
  remove?: boolean
  scope?: string
  write?: string
}

const CHANGES = {
  add: ["--add <text>", "add a rule"],
  edit: ["--edit <text>", "replace the rule's words"],
  remove: ["--remove", "remove the rule; HiveMind will not pick it up again"],
  write: ["--write <file>", "write the rules into a file such as AGENTS.md"],
} as const

export const command: CliCommand<RulesOptions> = {
  configure(rules) {
    const option = (name: keyof typeof CHANGES) => {
      const others = Object.keys(CHANGES).filter((each) => each !== name)
      const [flags, text] = CHANGES[name]
      return rules.createOption(flags, text).conflicts(others)
    }
    const scope = 'where the rule applies: a path, a language, "in tests"; with --add, --edit or an id'
    rules
      .argument("[id]", "the rule to change")
      .addOption(option("add"))
      .addOption(option("edit"))
      .addOption(option("remove"))
      .option("--scope <where>", scope)
      .addOption(option("write"))
  },

  help: 'Example: hivemind rules --add "Use pnpm" --scope packages/web',

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [id] = input.args
      const { add, edit, remove, scope, write } = input.options
      if (write !== undefined) return writeRules(input, hive, write)
      if (add !== undefined) return saveRule(input, hive, add, undefined)
      if (edit !== undefined || scope !== undefined) return saveRule(input, hive, edit, requireRule(hive, id))
      if (remove === true) return removeRule(input, hive, requireRule(hive, id))
      const rules = id === undefined ? listRules(hive) : [requireRule(hive, id)]
      return { data: { rules }, text: rulesText(rules, input.style) }
    }),
}

function saveRule(
  input: CliInput<RulesOptions>,
  hive: Hive,
  text: string | undefined,
  before: Mem | undefined,
): Promise<CliResult> {
  return changeForPerson(input, hive, "rules", async (caller) => {
    const content = text ?? before?.content ?? ""
    const scope = input.options.scope ?? before?.scope ?? scopeIn(content)
    const more = { ...(scope !== null && { scope }), ...(before && { supersedes: before.id }) }
    const rule = checked("The rule", newMem, { content, kind: "rule", shelf: "rules", ...more })
    const { mem, replaced, conflicts } = await saveAndCompare(hive, caller, rule)
    const lines = [`Saved the rule ${shortId(mem.id)}.`, ...comparedLines(replaced, conflicts)]
    return { data: { rule: mem, replaced, conflicts }, text: lines.join("\n") }
  })
}

function removeRule(input: CliInput<RulesOptions>, hive: Hive, { id, content }: Mem): Promise<CliResult> {
  return changeForPerson(input, hive, "rules", async (caller) => {
    const removed = await purgeMems(hive, caller, { mem_id: id })
    return { data: { removed }, text: `Removed the rule ${shortId(id)}: ${shorten(content)}` }
  })
}

async function writeRules({ io, dir }: CliInput<RulesOptions>, hive: Hive, name: string): Promise<CliResult> {
  requirePerson(io, "`hivemind rules --write`")
  const file = resolve(dir, name)
  const inside = relative(hive.dir, file)
  if (inside.startsWith("..") || isAbsolute(inside))
    throw new HiveError({
      code: "invalid_argument",
      what: "The rules were not written.",
      why: "The file is outside of the project.",
      use_instead: "Name a file of the project, such as AGENTS.md.",
      evidence: file,
    })
  const rules = listRules(hive)
  const before = await readConfigFile(file)
  await replaceConfigFile(file, before, textWithRules(before ?? "", rules))
  return { data: { file, rules: rules.length }, text: `Wrote ${counted(rules.length, "rule")} to ${file}.` }
}

function requireRule(hive: Hive, id: string | undefined): Mem {
  if (id === undefined) throw noRule("an id is missing")
  const { mem } = memDetail(hive, id)
  if (mem.kind !== "rule") throw noRule(`${shortId(mem.id)} is a mem of kind ${mem.kind}`)
  return mem
}

function rulesText(rules: readonly Mem[], style: Style): string {
  if (rules.length === 0)
    return 'There are no rules yet. Tell your agent one ("from now on …"), or run `hivemind rules --add`.'
  return rules
    .flatMap((rule) => {
      const where = rule.scope === null ? "" : style("dim", `  [${rule.scope}]`)
      const source = SOURCES[rule.origin] ?? "added"
      const again = rule.tags.includes(REPEATED) ? ", said again in a later session" : ""
      return [
        `${style("cyan", shortId(rule.id))} ${shorten(instructionIn(rule.content), 120)}${where}`,
        `         ${style("dim", `${source} ${localTime(rule.created_at)}${again}`)}`,
      ]
    })
    .join("\n")
}

const SOURCES: Readonly<Record<string, string>> = {
  said: "from your message of",
  history: "from a past session, unconfirmed:",
}

function noRule(evidence: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: "This is not a rule.",
    why: "`hivemind rules` shows and changes only rules.",
    use_instead: "`hivemind rules` lists all rules with their ids.",
    evidence,
  })
}
