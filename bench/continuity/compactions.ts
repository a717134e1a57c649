import { openBed } from "../../test/live/bed/bed.ts"
import { injectedTexts } from "../../test/live/bed/injected-state.ts"
import { save, say, update } from "../../test/live/bed/steps.ts"
import type { Bench } from "../section.ts"

/**
 * One session of the real OpenCode that is compacted again and again, with a new task and a new decision before each. Counts
 * the facts known at each compaction, and those told to the model in the first request after it.
 */
export async function playCompactions(bench: Bench, times: number): Promise<{ known: number; told: number }> {
  await using bed = await openBed({ ownHost: true, files: { "notes.md": "Notes.\n" } })
  bed.model.hidden.compaction = say("## Objective\n- the work goes on")
  const session = await bed.newSession("s")
  const decisions: string[] = []
  let [known, told] = [0, 0]
  for (let n = 1; n <= times; n++) {
    bench.progress(`compaction ${n} of ${times}`)
    const task = `Build part ${n} of the shop`
    const decision = `Part ${n} keeps its state in table_${n}, not in a file`
    decisions.push(decision)
    bed.model.script(update("action", task), save(decision, "decision"), say("Done for now."))
    await bed.prompt(session, `Begin with part ${n}`)
    await bed.summarize(session)
    bed.model.script(say("Going on."))
    const { requests } = await bed.prompt(session, "Go on")
    const shown = requests.slice(0, 1).flatMap(injectedTexts).join("\n")
    const facts = [task, ...decisions]
    known += facts.length
    told += facts.filter((fact) => shown.includes(fact)).length
  }
  return { known, told }
}
