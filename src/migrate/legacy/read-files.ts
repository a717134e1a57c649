import { parseJson } from "../../store/files/json-lines.ts"
import { cutAt, type Fields, madeOf, objectFrom, textIn, timeOf } from "../records/fields.ts"
import { readSource } from "../records/json-items.ts"
import { projectHead } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import { type Context, isMemFile, type LegacyFile, type LegacyHead, openContext } from "./context.ts"

/** Reads all files, mems last and the read-head before them. Records of files that `isKnown` accepts are left out. */
export async function* readLegacyFiles(
  project: string,
  files: readonly LegacyFile[],
  isKnown: (file: LegacyFile) => boolean,
  onFile: (file: LegacyFile) => void = () => {},
): AsyncGenerator<SourceRecord, void, void> {
  const context = openContext(project)
  await readHeaders(files, context)
  const readAll = async function* (some: readonly LegacyFile[]) {
    for (const file of some) {
      onFile(file)
      for await (const found of file.read(file, context)) if (!isKnown(file)) yield found
    }
  }
  yield* readAll(files.filter((file) => !isMemFile(file)))
  yield* projectHeads(context.heads)
  yield* readAll(files.filter((file) => isMemFile(file) && !isKnown(file)))
}

/** Chooses the project's read-head: the newest one with a task, or else the newest with a plan. */
function* projectHeads(heads: readonly LegacyHead[]): Generator<SourceRecord, void, void> {
  const worth = ({ tasks, plan }: LegacyHead) => (tasks.length > 0 ? 2 : plan === null ? 0 : 1)
  const [best, ...others] = heads.toSorted((a, b) => worth(b) - worth(a) || b.at.localeCompare(a.at))
  for (const { from } of others) yield { from, ignore: "another read-head is newer or more complete" }
  if (best === undefined) return
  const { from, at, plan, phase, tasks } = best
  if (plan === null) {
    yield { from, ignore: "a read-head without a plan" }
    return
  }
  const intent = best.intent === null ? null : cutAt(best.intent, 10_000)
  const given = { active_phase_id: phase, active_task_ids: tasks, intent }
  const intent_about = intent === null ? null : plan
  yield { from, records: [projectHead(plan, madeOf({ created: at }, at), { ...given, intent_about })] }
}

/** Reads values that the readers of all files need, before the first file is read. */
async function readHeaders(files: readonly LegacyFile[], context: Context): Promise<void> {
  let newest = ""
  for (const file of files) {
    if (file.name.startsWith(".hivemind/") && file.name.endsWith("/brain.json")) {
      const session = objectFrom((await contentOf(file))?.["session"])
      const id = textIn(session, "id")
      const at = timeOf(session?.["last_activity"], "1970-01-01T00:00:00.000Z")
      if (id === undefined || at <= newest) continue
      newest = at
      context.session = { id: cutAt(id, 200), file: file.path, at }
    } else if (file.name.endsWith("/sessions/manifest.json")) {
      context.activeStamp ??= textIn(await contentOf(file), "active_stamp") ?? null
    } else if (file.name.endsWith("/graph/trajectory.json")) {
      const head = objectFrom((await contentOf(file))?.["trajectory"])
      if (head !== undefined)
        context.graph = {
          salt: `${textIn(head, "session_id") ?? ""} ${textIn(head, "created_at") ?? ""}`,
          activePlan: textIn(head, "active_plan_id") ?? null,
          intent: textIn(head, "intent") ?? null,
        }
    }
  }
}

async function contentOf(file: LegacyFile): Promise<Fields | undefined> {
  const text = await readSource(file, MAX_BYTES)
  return typeof text === "string" ? objectFrom(parseJson(text)) : undefined
}

const MAX_BYTES = 4 << 20
