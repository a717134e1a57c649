import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { objectFrom, textFrom, timeOf } from "../fields.ts"
import type { Known } from "./known.ts"
import type { OldFile } from "./old-file.ts"

/** What has to be known of some files before the first is read. All of them are small. */
export async function lookAhead(files: readonly OldFile[], known: Known): Promise<void> {
  let newest = ""
  // Of a graph whose read-head was taken over before: the ids were made with that one.
  noteGraph(known, await contentAt(join(known.home, ".hivemind/graph/trajectory.json.bak")))
  const { salt } = known.graph
  for (const file of files) {
    if (file.name.startsWith(".hivemind/") && file.name.endsWith("/brain.json")) {
      const session = objectFrom((await contentOf(file))?.["session"])
      const id = textFrom(session?.["id"])
      const at = timeOf(session?.["last_activity"], "1970-01-01T00:00:00.000Z")
      if (id === undefined || at <= newest) continue
      newest = at
      known.session = { id: id.slice(0, 200), file: file.path, at }
    } else if (file.name.endsWith("/sessions/manifest.json")) {
      known.activeStamp ??= textFrom((await contentOf(file))?.["active_stamp"]) ?? null
    } else if (file.name.endsWith("/graph/trajectory.json")) {
      noteGraph(known, await contentOf(file))
      if (salt !== "") known.graph.salt = salt
    } else if (file.name.endsWith("/graph/task-id-lineage-map.json")) {
      for (const [from, to] of pairsIn((await contentOf(file))?.["mappings"])) known.lineage.set(from, to)
    }
  }
}

function noteGraph(known: Known, content: Record<string, unknown> | undefined): void {
  const head = objectFrom(content?.["trajectory"])
  if (head === undefined) return
  known.graph = {
    salt: `${textFrom(head["session_id"]) ?? ""} ${textFrom(head["created_at"]) ?? ""}`,
    activePlan: textFrom(head["active_plan_id"]) ?? null,
    intent: textFrom(head["intent"]) ?? null,
  }
}

/** An object by old id, or a list of pairs under whatever names. */
function pairsIn(mappings: unknown): [from: string, to: string][] {
  if (Array.isArray(mappings))
    return mappings.flatMap((each): [string, string][] => {
      const ids = Object.values(objectFrom(each) ?? {}).filter((id): id is string => typeof id === "string")
      const to = ids.find((id) => UUID.test(id))
      const from = ids.find((id) => id !== to)
      return to === undefined || from === undefined ? [] : [[from, to]]
    })
  return Object.entries(objectFrom(mappings) ?? {}).flatMap(([from, to]): [string, string][] => {
    const id = textFrom(to) ?? Object.values(objectFrom(to) ?? {}).find((each) => UUID.test(String(each)))
    return typeof id === "string" ? [[from, id]] : []
  })
}

function contentOf({ path }: OldFile): Promise<Record<string, unknown> | undefined> {
  return contentAt(path)
}

async function contentAt(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined
    return objectFrom(JSON.parse((await readFile(path, "utf8")).replace(/^\ufeff/, "")))
  } catch {
    return undefined // Damaged: reading it tells.
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/i
const MAX_BYTES = 4 << 20
