import * as z from "zod"
import { ensureInbox } from "../../graph/inbox.ts"
import { isDonePlan } from "../../graph/lifecycle.ts"
import { madeNow } from "../../graph/made.ts"
import { newPlan } from "../../graph/new-plan.ts"
import { headIdOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { recordFile } from "../../project/document/record-file.ts"
import { requireFile } from "../../project/document/require-file.ts"
import { line, path, ref, text } from "../../schemas/fields.ts"
import type { Plan } from "../../schemas/plan.ts"
import { moveHead } from "../session/move-head.ts"
import { ensureSession } from "../session/start.ts"

/** What a plan is made with: the arguments of a call. */
export const planInput = z.strictObject({
  title: line,
  acceptance: z.array(text),
  phases: z.array(line).optional(),
  sot_document_path: path.optional(),
  depends_on: z.array(ref).optional(),
})
export type PlanInput = z.infer<typeof planInput> & { purpose?: Plan["purpose"] }

/** Creates a plan with its phases. The session moves there to work, unless it has an active task. */
export async function createPlan(
  hive: Hive,
  caller: Caller & { session: string },
  input: PlanInput,
): Promise<{ plan: Plan; phases: { id: string; title: string }[]; warning: string | null }> {
  const { source, store } = hive
  const now = source.now()
  const { purpose = "work" } = input
  const depends_on = (input.depends_on ?? []).map((given) => resolveId(store.read().state, "plan", given))
  const document =
    input.sot_document_path === undefined ? undefined : requireFile(hive.dir, input.sot_document_path)
  const id = source.newId()
  const phases = (input.phases ?? []).map((title) => ({ id: source.newId(), title }))
  const { result: plan } = await store.write(authorOf(caller), (tx) => {
    ensureSession(tx, caller, now, input.title)
    const isReady = depends_on.every((each) => isDonePlan(tx.get("plan", each)))
    const plan = tx.add(
      "plan",
      newPlan(tx, now, {
        id,
        title: input.title,
        purpose,
        acceptance: input.acceptance,
        sot_document_path: document?.path ?? null,
        depends_on,
        owned_by: caller.agent,
        status: isReady ? "active" : "draft",
      }),
    )
    ensureInbox(tx, plan)
    if (document !== undefined && document.now !== null) {
      const { created_at: at, stamp } = plan
      recordFile(tx, document.path, document.now, { at, stamp, plan_id: id })
    }
    phases.forEach((phase, index) => {
      const made = madeNow(tx, "phase", now)
      const rest = { parent_plan_id: id, order: index + 1, inbox: false, summary: null }
      tx.add("phase", { ...phase, status: "planned", ...rest, ...made })
    })
    const head = tx.need("trajectory", headIdOf(caller.session))
    // A task in review no longer keeps the session busy.
    const isBusy = head.active_task_ids.some((each) => tx.get("task", each)?.status === "active")
    if (!isBusy && purpose === "work") moveHead(tx, caller.session, { plan, phase: null, task: null }, now)
    return plan
  })
  const isMissing = document !== undefined && document.now === null
  const warning = isMissing ? `${document.path} is not there yet; it is taken up when it appears.` : null
  return { plan, phases, warning }
}
