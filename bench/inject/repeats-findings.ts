import { lightSession, type Session, workingSession } from "../../test/context/inject/sessions/kinds.ts"
import { measureRepeats } from "../../test/context/inject/sessions/repeats.ts"
import { figure } from "../figures.ts"
import type { Bench, Findings } from "../section.ts"

/** How much of each prompt the model was told before in the same prompt, over whole sessions through the real hook. */
export async function repeatsFindings(bench: Bench): Promise<Pick<Findings, "bars" | "notes" | "figures">> {
  const found: Pick<Findings, "bars" | "notes" | "figures"> = { bars: [], notes: [], figures: {} }
  for (const [name, run] of SESSIONS) {
    bench.progress(name)
    const repeats = measureRepeats(await run(bench.folder()))
    const percent = (share: number) => `${figure(share * 100)} %`
    found.figures[name] = { ...repeats }
    found.bars.push({ what: `said again, ${name}`, value: repeats.worst * 100, unit: "%", atMost: 15 })
    found.bars.push({ what: `prefix kept, ${name}`, value: repeats.prefix * 100, unit: "%", atLeast: 100 })
    found.notes.push(
      `${name}: said again ${percent(repeats.ofPrompts)} of all prompts, ${percent(repeats.ofInjected)} of what is ours; ` +
        `whole states ${percent(repeats.wholeStates)}; ours at the end ${percent(repeats.oursAtEnd)}.`,
    )
  }
  found.notes.push(
    "Said again: the worst prompt of the session; a prompt is the conversation, without system prompt and tools.",
  )
  return found
}

const SESSIONS: [string, (folder: string) => Promise<Session>][] = [
  ["light session, 40 turns", (folder) => lightSession(folder, 40)],
  ["light session, 150 turns", (folder) => lightSession(folder, 150)],
  ["working session, 150 turns", (folder) => workingSession(folder, 150)],
]
