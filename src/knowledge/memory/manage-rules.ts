import { ALL } from "../../graph/indexes.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { instructionIn } from "../rules/find-rules.ts"
import { purgeMems } from "./change.ts"

export function listRules({ store }: Hive): Mem[] {
  return [...store.read().state.mem.by("rule", ALL).backwards()]
}

/** Drops the rule that was noted last, of those said in the session or in any. Undefined where there is none. */
export async function forgetLastRule(
  hive: Hive,
  caller: Caller & { session: string },
): Promise<Mem | undefined> {
  const said = listRules(hive).filter(({ origin }) => origin === "said")
  const last = said.find(({ session_id }) => session_id === caller.session) ?? said[0]
  if (last !== undefined) await purgeMems(hive, caller, { mem_id: last.id })
  return last
}

/** A file's text with the rules between two marks: in place of what stood there, else at its end. */
export function textWithRules(text: string, rules: readonly Pick<Mem, "content" | "scope">[]): string {
  const lines = rules.map(({ content, scope }) => {
    const rule = instructionIn(content)
    return `- ${scope === null || rule.includes(scope) ? rule : `${rule} (${scope})`}`
  })
  const section = [BEGIN, "## Rules", "", ...lines, END].join("\n")
  const start = text.indexOf(BEGIN)
  const end = text.indexOf(END)
  if (start >= 0 && end > start) return `${text.slice(0, start)}${section}${text.slice(end + END.length)}`
  return text.trim() === "" ? `${section}\n` : `${text.trimEnd()}\n\n${section}\n`
}

const BEGIN = "<!-- hivemind rules: begin -->"
const END = "<!-- hivemind rules: end -->"
