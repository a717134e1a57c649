import { readFileSync } from "node:fs"

/** A command of the trial, with its list and the heading it stands under: `# <verdict>, <run or not>: <kind>`. */
export interface TrialLine {
  list: "everyday" | "hive-files" | "over-open-work" | "over-commits"
  heading: string
  command: string
}

/** The commands of the trial. Those of "run" sections were run once, by hand, on copies of a repository. */
export function trialLines(): TrialLine[] {
  return LISTS.flatMap((list) => {
    const sections = readFileSync(new URL(`${list}.txt`, import.meta.url), "utf8")
      .trimEnd()
      .split("\n\n")
    return sections.flatMap((section) => {
      const [heading = "", ...lines] = section.split("\n")
      // `⏎` is a line break.
      return lines.map((line) => ({ list, heading, command: line.replaceAll("⏎", "\n") }))
    })
  })
}

export function isOrdinary({ list, heading }: TrialLine): boolean {
  return list !== "hive-files" && /^# passes, (not run: ordinary|run: lost nothing)/.test(heading)
}

/** Out of reach of a snapshot: outside of the project, remotes, databases, containers, clouds, disks, downloads. */
export function isOutOfReach({ list, heading }: TrialLine): boolean {
  return (
    list === "everyday" && /^# refused, .*: (out of reach|disks|databases|downloads|containers)/.test(heading)
  )
}

const LISTS = ["everyday", "hive-files", "over-open-work", "over-commits"] as const

/** The user's files at risk in the repository of old-work.ts; `untracked` includes the ignored ones. */
export const USERS_FILES = {
  changed: ["src/a.ts", "src/staged.ts", "local.yaml"],
  untracked: ["src/new.ts", "notes.md", "data/input.csv", "docs/draft.md", ".env", "app.log"],
  ignored: [".env", "app.log"],
}
