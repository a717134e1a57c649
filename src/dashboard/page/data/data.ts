import type { CommandView, ErrorView } from "../../answers/model.ts"
import { type ExportedAnswers, exportedAnswer } from "./exported.ts"

// The one place where the page gets its data: from its server, or from the file that it was exported into.

export type Params = Readonly<Record<string, string | number | null | undefined>>

/** The server has no answer; `view` says so in words for people. */
export class NoAnswer extends Error {
  readonly view: ErrorView
  constructor(view: ErrorView) {
    super(view.what)
    this.view = view
  }
}

const data = document.getElementById("snapshot")?.textContent ?? ""
const exported: ExportedAnswers | null = data === "" ? null : JSON.parse(data)

/** Nothing can be changed in an exported file. */
export const isExport = exported !== null

/** `/api/mem?id=…`. Empty parameters are left out, so that the same question always has the same address. */
export function address(endpoint: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value != null && value !== "") query.set(name, `${value}`)
  return query.size === 0 ? `/api/${endpoint}` : `/api/${endpoint}?${query}`
}

/** An exported file holds a part of the project. Records that it lacks are shown without a link. */
export function canOpen(kind: string, id: string): boolean {
  return exported === null || exportedAnswer(exported, address(kind, { id })) !== undefined
}

/** Addresses are relative to the page: only its server knows the path that it lies under. */
export async function ask(at: string, signal?: AbortSignal): Promise<unknown> {
  if (exported === null) return answerOf(await fetch(`.${at}`, signal === undefined ? {} : { signal }))
  const answer = exportedAnswer(exported, at)
  if (answer !== undefined) return answer
  throw new NoAnswer({
    code: "not_exported",
    what: "This is not part of the file.",
    why: "An exported page contains the newest records, not the whole project.",
    use_instead: "Run hivemind dashboard in the project to see it.",
  })
}

export async function send(command: object): Promise<CommandView> {
  const response = await fetch("./api/commands", {
    method: "POST",
    headers: { "content-type": "application/json", "x-hivemind": "1" },
    body: JSON.stringify({ command }),
  })
  return (await answerOf(response)) as CommandView
}

interface Listener {
  changed(): void
  queued(command: CommandView): void
  connected(isThere: boolean): void
}

/**
 * Follows changes of the project as long as the page is open. A browser keeps six connections to a server for all its pages:
 * a hidden page gives its own back, so that any number can be open.
 */
export function listen(listener: Listener): void {
  if (isExport) return
  let events: EventSource | undefined
  const followVisible = (hasMissed: boolean) => {
    events?.close()
    events = document.hidden ? undefined : openEvents(listener, hasMissed)
  }
  followVisible(false)
  document.addEventListener("visibilitychange", () => followVisible(true))
}

function openEvents({ changed, queued, connected }: Listener, missed: boolean): EventSource {
  const events = new EventSource("./api/events")
  let hasMissed = missed
  events.addEventListener("open", () => {
    connected(true)
    // Changes are not reported again: after a gap everything is asked for.
    if (hasMissed) changed()
    hasMissed = false
  })
  events.addEventListener("error", () => {
    hasMissed = true
    connected(false)
  })
  events.addEventListener("change", changed)
  events.addEventListener("queue", (event) => queued(JSON.parse((event as MessageEvent<string>).data)))
  return events
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json()
  const body: unknown = await response.json().catch(() => null)
  if (typeof body === "object" && body !== null && "what" in body && "why" in body)
    throw new NoAnswer(body as ErrorView)
  throw new NoAnswer({
    code: "unknown",
    what: "This could not be loaded.",
    why: `The server answered ${response.status}.`,
    use_instead: "Start it again with hivemind dashboard, then reload this page.",
  })
}
