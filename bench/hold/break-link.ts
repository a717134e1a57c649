import { randomUUID } from "node:crypto"
import { changeFileUnlogged, partFiles } from "../../test/support/parts.ts"

export type BrokenLink = "dependency" | "checkpoint"

/** Makes one link of a project lead nowhere, as a damaged log can. */
export async function breakLink(project: string, what: BrokenLink): Promise<void> {
  const [section, start] =
    what === "dependency" ? ["tasks", '"depends_on":["'] : ["checkpoints", '"task_id":"']
  const last = partFiles(project, section).sort().at(-1) ?? ""
  await changeFileUnlogged(project, last, (text) => {
    const link = text.lastIndexOf(start) + start.length
    return `${text.slice(0, link)}${randomUUID()}${text.slice(link + UUID_CHARS)}`
  })
}

const UUID_CHARS = 36
