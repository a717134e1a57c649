import { readFile } from "node:fs/promises"
import { systemCode } from "../../shared/system-error.ts"
import { madeOf, objectFrom, piecesOf, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { olderId } from "./known.ts"
import { pastMem } from "./mems.ts"
import type { OldFile } from "./old-file.ts"

/** A file that people read, and that has its place here as well. */
export async function* keptDocument({ name }: OldFile): AsyncGenerator<Found, void, void> {
  yield { from: name, ignore: "a document: it stays where it is, and `hivemind trace` finds it" }
}

/** A file that people read. */
export async function* leftDocument({ name }: OldFile): AsyncGenerator<Found, void, void> {
  yield { from: name, ignore: "a document: it stays where it is" }
}

/** Lists of files, code maps and the like. */
export async function* madeAnew({ name }: OldFile): AsyncGenerator<Found, void, void> {
  yield { from: name, ignore: "made anew by `hivemind scan` where it is needed" }
}

/** Notes of a session: recall finds them. */
export async function* readNotes(file: OldFile): AsyncGenerator<Found, void, void> {
  yield await asMem(file, (text) => text)
}

/** An export of a session: what it came to. The file stays where it is. */
export async function* readExport(file: OldFile): AsyncGenerator<Found, void, void> {
  yield await asMem(file, exportText)
}

/** A plan of a shape that is not known: recall finds its words. */
export async function* readPlanText(file: OldFile): AsyncGenerator<Found, void, void> {
  yield await asMem(file, planText, "plans")
}

async function asMem(
  file: OldFile,
  words: (text: string) => string,
  shelf: string = "sessions",
): Promise<Found> {
  let text: string
  try {
    text = words(await readFile(file.path, "utf8")).trim()
  } catch (error) {
    return { from: file.name, quarantine: `cannot be read (${systemCode(error)})`, original: undefined }
  }
  if (text === "") return { from: file.name, ignore: "without words; it stays where it is" }
  const made = madeOf({ created: file.at }, file.at)
  const [first, ...more] = piecesOf(text)
  const id = olderId("document", first)
  const common = {
    shelf,
    origin: "export" as const,
    evidence: [file.name.slice(0, 500)],
    ...made,
  }
  return {
    from: file.name,
    take: [
      { kind: "mem", record: pastMem({ id, content: first, ...common }) },
      ...more.map((piece, n) => ({
        kind: "mem" as const,
        record: pastMem({
          id: olderId("document", id, String(n)),
          content: piece,
          parent_mem_id: id,
          ...common,
        }),
      })),
    ],
  }
}

/** What an export says in words; the rest is in its file. */
function exportText(text: string): string {
  let value: Record<string, unknown> | undefined
  try {
    value = objectFrom(JSON.parse(text))
  } catch {
    return text // Not JSON, or a damaged file: its text is all there is.
  }
  const lines = ["summary", "trajectory", "tactic", "action", "intent", "outcome"].flatMap((name) => {
    const words = textFrom(value?.[name])
    return words === undefined ? [] : [`${name}: ${words}`]
  })
  return lines.join("\n")
}

function planText(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text // Not JSON, or a damaged file: its text is all there is.
  }
  const { version: _, ...plan } = objectFrom(value) ?? { value }
  const hasWords = Object.values(plan).some((each) => !EMPTY.has(JSON.stringify(each)))
  return hasWords ? `A plan of before:\n${JSON.stringify(plan, null, 1)}` : ""
}

const EMPTY: ReadonlySet<string> = new Set(["null", '""', "[]", "{}"])
