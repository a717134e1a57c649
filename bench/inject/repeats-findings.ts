import { lightSession, type Session, workingSession } from "../../test/context/inject/sessions/kinds.ts"
import { measureRepeats } from "../../test/context/inject/sessions/repeats.ts"
import { figure } from "../figures.ts"
import type { Bench, Findings } from "../section.ts"

/** How much of each prompt the model was told before in the same prompt, over whole sessions through the real hook. */
export async function repeatsFindings(bench: Bench): Promise<Pick<Findings, "bars" | "notes" | "figures">> {
  const found: Pick<Findings, "bars" | "notes" | "figures"> = { bars: [], notes: [], figures: {} }
  for (const { name, run, isLongChat } of SESSIONS) {
    bench.progress(name)
    const repeats = measureRepeats(await run(bench.folder()))
    const percent = (share: number) => `${figure(share * 100)} %`
    found.figures[name] = { ...repeats }
    found.bars.push({ what: `said again, ${name}`, value: repeats.worst * 100, unit: "%", atMost: 15 })
    found.bars.push({ what: `prefix kept, ${name}`, value: repeats.prefix * 100, unit: "%", atLeast: 100 })
    if (isLongChat)
      found.bars.push({
        what: `ours at the end, ${name}`,
        value: repeats.oursOfRequest * 100,
        unit: "%",
        atMost: 15,
      })
    found.notes.push(
      `${name}: said again ${percent(repeats.ofPrompts)} of all prompts, ${percent(repeats.ofInjected)} of what is ours; ` +
        `ours at the end ${percent(repeats.oursAtEnd)} of the conversation, ${percent(repeats.oursOfRequest)} of the request.`,
    )
  }
  found.notes.push(
    "Said again: on the worst turn, of the conversation alone. The request has system prompt and tools too; ours is what is injected.",
  )
  return found
}

interface Measured {
  name: string
  run: (folder: string) => Promise<Session>
  isLongChat: boolean
}

const SESSIONS: Measured[] = [
  { name: "light session, 40 turns", run: (folder) => lightSession(folder, 40), isLongChat: false },
  { name: "light session, 150 turns", run: (folder) => lightSession(folder, 150), isLongChat: true },
  { name: "working session, 150 turns", run: (folder) => workingSession(folder, 150), isLongChat: false },
]
