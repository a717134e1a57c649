import { listFrom, objectFrom, textFrom, timeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { jsonItems } from "../json-stream.ts"
import { findPhase } from "./graph.ts"
import { findPlan, findTask, type Known } from "./known.ts"
import { type OldFile, placeIn } from "./old-file.ts"

/** `graph/trajectory.json`: a read-head. Read after the records that it points at. */
export async function* readHead(file: OldFile, known: Known): AsyncGenerator<Found, void, void> {
  for await (const item of jsonItems(file.path)) {
    const from = placeIn(file, item.key)
    if ("fault" in item) yield { from, quarantine: item.fault, original: item.text }
    else if (item.key === "trajectory") {
      const head = objectFrom(item.value)
      if (head === undefined) yield { from, ignore: "empty" }
      else known.heads.push(headOf(from, head, file, known))
    } else if (item.key !== "version") yield { from, ignore: "not a part of a read-head" }
  }
}

function headOf(
  from: string,
  head: Record<string, unknown>,
  file: OldFile,
  known: Known,
): Known["heads"][number] {
  const tasks = listFrom(head["active_task_ids"]).flatMap((id) => findTask(known, id) ?? [])
  const phase = findPhase(known, textFrom(head["active_phase_id"]) ?? "")
  const [first] = tasks
  const plan = first?.plan ?? phase?.plan ?? findPlan(known, textFrom(head["active_plan_id"])) ?? null
  return {
    from,
    at: timeOf(head["updated_at"], file.at),
    plan,
    phase: first?.phase ?? phase?.phase ?? null,
    tasks: tasks.filter((task) => task.plan === plan).map(({ id }) => id),
    intent: textFrom(head["intent"]) ?? null,
  }
}

/** `graph/task-id-lineage-map.json`: looked at before all others, and nothing by itself. */
export async function* readLineage(file: OldFile): AsyncGenerator<Found, void, void> {
  yield { from: file.name, ignore: "used to find the same tasks again" }
}
