import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export type BrokenLink = "dependency" | "checkpoint"

/** Makes one link of a project lead nowhere, as a merge or an edit can. */
export function breakLink(project: string, what: BrokenLink): void {
  const folder = join(project, ".hivemind", "graph", "parts")
  const [section, start] =
    what === "dependency" ? ["tasks.", '"depends_on":["'] : ["checkpoints.", '"task_id":"']
  const [last = ""] = readdirSync(folder)
    .filter((name) => name.startsWith(section))
    .sort()
    .reverse()
  const file = join(folder, last)
  const text = readFileSync(file, "utf8")
  const link = text.lastIndexOf(start) + start.length
  writeFileSync(file, `${text.slice(0, link)}${randomUUID()}${text.slice(link + UUID_CHARS)}`)
}

const UUID_CHARS = 36
