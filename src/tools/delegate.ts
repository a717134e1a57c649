import { ref, text } from "../schemas/fields.ts"
import { shorten } from "../shared/text/clean.ts"
import { assignment, assignTask, recallDelegation } from "../work/delegation/assign.ts"
import { RESEARCHER, research, researchQuestion } from "../work/delegation/research.ts"
import { action, defineTool } from "./tool.ts"

export const delegateTool = defineTool(
  "delegate",
  "Hand a task to a subagent. Unlike starting one directly, it limits its tools and brings the result back. assign: then start that agent with the handover text. research: let one find something out. recall: stop it.",
  {
    assign: action(assignment.shape, async (hive, caller, args) => {
      const { delegation, handover } = await assignTask(hive, caller, args)
      return { entity_id: delegation.id, agent: delegation.to_agent, handover }
    }),
    research: action(researchQuestion.shape, async (hive, caller, args) => {
      await caller.running.mayStart(RESEARCHER)
      const { task, delegation, session } = await research(hive, caller, args)
      return { entity_id: delegation.id, task_id: task.id, session }
    }),
    recall: action({ delegation_id: ref, reason: text }, async (hive, caller, args) => {
      const delegation = await recallDelegation(hive, caller, args.delegation_id, args.reason)
      const { id, child_session_id: child } = delegation
      if (child === null) return { entity_id: id, ended_session: null }
      try {
        await hive.endSession(child)
        return { entity_id: id, ended_session: child }
      } catch (error) {
        // The delegation is recalled, but its session still runs. The host adapter tries to end it again later.
        hive.onResearch?.({ delegation: id, session: child })
        const then = hive.onResearch ? "HiveMind tries again after its next answer" : "the user can stop it"
        const reason = error instanceof Error ? error.message : String(error)
        const problem = `The session ${child} could not be ended (${reason}); ${then}.`
        return { entity_id: id, ended_session: null, problem }
      }
    }),
    status: action({}, (hive) => {
      const { state } = hive.store.read()
      const delegations = [...state.delegation.values()].slice(-LIST_LIMIT).map((each) => ({
        delegation_id: each.id,
        task: state.task.get(each.task_id)?.title,
        from: each.from_agent,
        to: each.to_agent,
        state: each.status,
        session: each.child_session_id,
        depth: each.depth,
        ...(each.result !== null && { result: shorten(each.result, RESULT_CHARS) }),
        ...(each.reason !== null && { reason: each.reason }),
      }))
      return { delegations }
    }),
  },
  ["allowed_tools"],
)

const LIST_LIMIT = 20
const RESULT_CHARS = 300
