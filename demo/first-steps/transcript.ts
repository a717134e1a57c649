import { stripVTControlCharacters } from "node:util"
import type { Newcomer } from "./newcomer.ts"

/** A page of Markdown: words, and what a terminal shows. */
export function transcript(
  { shell, root, project }: Pick<Newcomer, "shell" | "root" | "project">,
  /** Where a program lies on this machine, and where it does on others. */
  program?: { path: string; usualPath: string },
) {
  const parts: string[] = []
  return {
    says: (...paragraphs: string[]) => parts.push(...paragraphs),
    /** Runs the line and shows it with what it printed. */
    async runs(line: string): Promise<string> {
      const printed = await shell(line)
      const named = program === undefined ? printed : printed.replaceAll(program.path, program.usualPath)
      const shown = stripVTControlCharacters(named)
        .replaceAll(project, "~/shop")
        .replaceAll(`${root}/config/`, "~/.config/")
        .replaceAll(root, "~")
        .replace(/ +$/gm, "")
      parts.push(
        ["```console", `$ ${line}`, ...(shown.trim() === "" ? [] : [shown.trim()]), "```"].join("\n"),
      )
      return printed
    },
    text: () => `${parts.join("\n\n")}\n`,
  }
}

/** A page without what is another one each time: ids in the order in which they come, and no figures. */
export function comparable(page: string): string {
  const ids = new Map<string, string>()
  return (
    page
      // A build outside of git knows no commit.
      .replaceAll(/ \(commit [0-9a-f]+\+?\)/g, "")
      // Whether two are of the same minute is chance.
      .replace(/\b\d{12}(?:-\d+)?\b/g, "(stamp)")
      .replace(/(\d{2}:\d{2}) #\d+/g, "$1")
      .replace(/\bses_\w+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b/g, (id) => {
        const name = ids.get(id) ?? `(${"i".repeat(ids.size + 1)})`
        ids.set(id, name)
        return name
      })
      .replace(/\d+(?:[.,:-]\d+)*/g, "0")
      .replace(/\b0 ?(?:ms|s|min)\b/g, "0 s")
      .replace(/\b0 [KMGT]?B\b/g, "0 B")
      .replaceAll("just now", "0 s ago")
      .replace(/ +/g, " ")
  )
}
