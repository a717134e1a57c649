import type { Finding, FindingKind } from "./shell/command-reading.ts"

/**
 * The sentence in which the user clearly asks for what the finding refuses, or undefined. Negations,
 * questions, plans, guesses, quotations, code and pasted text do not count.
 */
export function findUserRequest(message: string, { kind, part }: Finding): string | undefined {
  const words = WORDS[kind]
  if (words === undefined) return undefined
  return sentencesOf(message).find((sentence) => {
    if ([NEGATED, QUESTION, UNDECIDED].some((pattern) => pattern.test(sentence))) return false
    if (PRODUCTION.test(part) && !PRODUCTION.test(sentence)) return false
    return words.test(sentence) && (!NEEDS_NAME.has(kind) || namesTarget(sentence, part))
  })
}

/** The user's own sentences: without code, quotations and lines that look pasted. */
function sentencesOf(message: string): string[] {
  const own = message
    .slice(0, MAX_CHARS)
    .replaceAll(/```[\s\S]*?(```|$)/g, "\n")
    .replaceAll(/<(\w[\w-]*)>[\s\S]*?<\/\1>/g, "\n")
    // Up to four words in backticks are a name that the user gives; more are quoted code.
    .replaceAll(/`([^`\n]*)`/g, (_, code: string) => (code.split(" ").length > 4 ? " " : code))
    .replaceAll(/"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»/g, " ")
  let isDescribed = false
  const lines = own.split("\n").filter((line) => {
    // A list below "a script that would:" describes that script, and is no request.
    if (!LIST_ITEM.test(line) && line.trim() !== "") isDescribed = DESCRIPTION.test(line)
    return !PASTED.test(line) && !(isDescribed && LIST_ITEM.test(line))
  })
  // A message of many lines is usually a pasted log.
  if (lines.length > MAX_LINES) return []
  return lines.flatMap((line) =>
    line.split(/(?<=[.!?;])\s+|,\s*(?=(?:but|and|then|und|aber|y|pero|et|mais)\b)/i),
  )
}

function namesTarget(sentence: string, part: string): boolean {
  const operands = part.split(/\s+/).slice(1)
  // Only the last name of a path counts: "remove the user model" does not ask to delete /home/user/other.
  const names = operands.map((word) => word.replaceAll(/["']/g, "").split("/").filter(Boolean).at(-1) ?? "")
  const said = sentence.toLowerCase().split(/[^\p{L}\p{N}._*-]+|[.](?=\s|$)/u)
  return names.some(
    (name) =>
      name.length > 2 && !name.startsWith("-") && !VERB.test(name) && said.includes(name.toLowerCase()),
  )
}

const DELETE = String.raw`\b(delete|remove|rm|drop|wipe|erase|purge|destroy|uninstall|clean( up| out)?|get rid of|l[öo]sch\w*|entfern\w*|borra\w*|elimina\w*|supprim\w*|efface\w*)\b`
const VERB = new RegExp(`^${DELETE}$`, "i")
const words = (...texts: string[]) => new RegExp(texts.join("|"), "i")
/** Phrases with which users ask for each kind of finding. A kind without phrases cannot be asked for. */
const WORDS: Partial<Record<FindingKind, RegExp>> = {
  "force push": words(
    String.raw`\bforce[- ]?push`,
    String.raw`\bpush\b.{0,40}(--force|\bforce\b|\bwith lease\b)`,
    String.raw`\boverwrite the remote\b`,
    String.raw`\bpush.{0,20}erzwing|\bfuerza el push\b|\bpousse en force\b`,
  ),
  "remote deletion": new RegExp(DELETE, "i"),
  database: words(
    String.raw`\b(drop|reset|wipe|empty|truncate|recreate|flush|clear)\b.{0,60}\b(db|database|table|tables|schema|redis|cache|rows|datenbank|base de don\w+|base de datos)\b`,
    String.raw`${DELETE}.{0,60}\b(db|database|table|tables|rows|datenbank|base de don\w+|base de datos|tabla)\b`,
  ),
  volume: words(
    String.raw`${DELETE}.{0,60}\b(volumes?|containers?|docker)\b`,
    String.raw`\b(prune|down -v)\b`,
  ),
  "cluster or cloud": words(DELETE, String.raw`\btear down\b`),
  "unread download": words(
    String.raw`\b(run|use|install with|pipe)\b.{0,60}\b(curl|wget|install(er|ation)? script|install\.sh)\b`,
  ),
  outside: new RegExp(DELETE, "i"),
  "left out": new RegExp(DELETE, "i"),
  "deleted file": new RegExp(DELETE, "i"),
  "discarded changes": words(
    String.raw`\b(hard[- ]reset|reset[- ]hard|reset --hard)\b`,
    String.raw`\b(discard|throw away|drop|revert|undo|reset|wipe|clean|verwirf\w*|descarta\w*|annule\w*)\b.{0,40}\b(my|all|the|local|uncommitted|untracked|these|those|every\w*|alle|los|les|mes|mis)\b.{0,40}\b(changes?|edits?|files?|work|tree|everything|[äa]nderungen|cambios|modifications|changements)\b`,
    String.raw`\bgit (clean|restore|checkout (--|\.|-f))`,
  ),
  stash: words(String.raw`\b(drop|clear|delete|remove)\b.{0,30}\bstash`),
}
/** For these kinds the verb alone is not enough: the user must name the target as well. */
const NEEDS_NAME: ReadonlySet<FindingKind> = new Set([
  "remote deletion",
  "cluster or cloud",
  "outside",
  "left out",
  "deleted file",
])
const NEGATED =
  /\b(don'?t|do not|never|without|not|no|instead of|rather than|avoid|nicht|kein\w*|nie|sin|nunca|jamais|pas|sans)\b/i
const QUESTION =
  /^(?!.*\bplease\b).*\?\s*$|^\s*(should|shall|can|could|would|do (we|you|i|they)|does|is|are|what|why|how|when|which|soll\w*|kann|wie|warum|deber\w*|por qu|pourquoi|comment)\b(?!.*\bplease\b)/i
/** Matches a user who thinks aloud, sets a condition, or says that they will do it themselves. */
const UNDECIDED =
  /\b(if|maybe|perhaps|probably|might|i (think|guess|wonder|will|did|have)|i'(ll|ve|d)|i('m| am) (going|about)|we might|the users?|what happens|falls|wenn|vielleicht|si|quiz[áa]s?|peut-[êe]tre)\b/i
const PRODUCTION = /prod(uction)?\b/i
const LIST_ITEM = /^\s*([-*•]|\d+[.)])\s/
const DESCRIPTION = /\b(script|tests?|scenario|would|should|example|case|flow|when|if)\b.*:\s*$/i
/** The start of a line of a shell prompt, quotation, log, diff or stack trace. */
const PASTED =
  /^\s*([$>#%|+]|-{2,}|at \S+ \(|\d{4}-\d\d-\d\d|\[?\d\d:\d\d|(error|warn|info|debug|hint|fatal|remote):)|\t| {4,}\S/i
const MAX_CHARS = 8000
const MAX_LINES = 40
