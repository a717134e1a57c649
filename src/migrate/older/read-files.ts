import { PROJECT_HEAD_ID } from "../../graph/read-head.ts"
import { cutAt, madeOf } from "../fields.ts"
import type { Found } from "../found.ts"
import { type InGraph, type Known, type OldHead, openKnown } from "./known.ts"
import { STEPS } from "./layout.ts"
import { lookAhead } from "./look-ahead.ts"
import type { OldFile } from "./old-file.ts"

/** Everything in the files, one thing after another; at the end, where the work stood. */
export async function* readFiles(
  project: string,
  files: readonly OldFile[],
  onFile: (file: OldFile) => void,
  inGraph: InGraph,
): AsyncGenerator<Found, void, void> {
  const known = openKnown(project, inGraph)
  await lookAhead(files, known)
  const isLate = ({ step }: OldFile) => step >= STEPS.indexOf("mems")
  for (const file of files.filter((each) => !isLate(each))) {
    onFile(file)
    yield* file.read(file, known)
  }
  // Before the mems, which may be many: whoever asks meanwhile finds the plans, the anchors and where the work stood.
  yield* readHeads(known)
  for (const file of files.filter(isLate)) {
    onFile(file)
    yield* file.read(file, known)
  }
}

/** The project has one read-head: the newest that stands at a task, else the newest that stands at a plan. */
function* readHeads({ heads }: Known): Generator<Found, void, void> {
  const worth = ({ tasks, plan }: OldHead) => (tasks.length > 0 ? 2 : plan === null ? 0 : 1)
  const [best, ...others] = heads.toSorted((a, b) => worth(b) - worth(a) || b.at.localeCompare(a.at))
  for (const { from } of others) yield { from, ignore: "another read-head is newer or says more" }
  if (best === undefined) return
  if (best.plan === null) {
    yield { from: best.from, ignore: "it stands at nothing" }
    return
  }
  const intent = best.intent === null ? null : cutAt(best.intent, 10_000)
  yield {
    from: best.from,
    take: [
      {
        kind: "trajectory",
        record: {
          ...{
            id: PROJECT_HEAD_ID,
            session_id: null,
            active_plan_id: best.plan,
            active_phase_id: best.phase,
          },
          ...{ active_task_ids: best.tasks, intent, intent_about: intent === null ? null : best.plan },
          ...{ intent_shift_at: null, ...madeOf({ created: best.at }, best.at) },
        },
      },
    ],
  }
}
