import { piecesOf, textLines } from "./lines.ts"
import type { Step, Steps } from "./step.ts"

/** A session that SpecStory has saved as Markdown: a heading per speaker, with a time in newer versions. */
export function* readSpecStory(path: string, startedAt: string): Steps {
  let speaker: "user" | "say" | undefined
  let [at, number, lines]: [string, number, string[]] = [startedAt, 0, []]
  const said = (): Step[] => {
    const text = lines
      .join("\n")
      .replaceAll(/<(think|tool-use)\b[\s\S]*?<\/\1>/g, "")
      .replace(/\n---\s*$/, "")
      .trim()
    const made = { ids: [`${++number}`], at, branch: null }
    if (speaker === undefined || text === "") return []
    return [
      speaker === "user"
        ? { what: "user", text, rejectsCall: false, ...made }
        : { what: "say", text, ...made },
    ]
  }
  for (const line of textLines(piecesOf(path))) {
    const [, who, about = ""] = line === undefined ? [] : (HEADING.exec(line) ?? [])
    if (line === undefined) yield undefined
    else if (who === undefined) lines.push(line)
    else {
      yield* said()
      speaker = about.includes("sidechain") ? undefined : who === "User" ? "user" : "say"
      lines = []
      const time = Date.parse(TIME.exec(about)?.[0] ?? "")
      if (!Number.isNaN(time)) at = new Date(time).toISOString()
    }
  }
  yield* said()
}

/** `_**User**_`, `_**User (2026-02-11 10:30:05Z)**_`, `_**Agent (model 2026-02-11 10:30:05Z)**_` */
const HEADING = /^_\*\*(User|Assistant|Agent)\b([^*]*)\*\*_\s*$/
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z/
