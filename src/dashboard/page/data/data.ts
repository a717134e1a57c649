import type { CommandView, ErrorView } from "../../answers/model.ts"
import { type Snapshot, snapshotAnswer } from "./snapshot.ts"

// The one place where the page gets its data: from its server, or from the file that it was exported into.

export type Params = Readonly<Record<string, string | number | null | undefined>>

/** What a server says where it has no answer, in words for people. */
export class NoAnswer extends Error {
  readonly view: ErrorView
  constructor(view: ErrorView) {
    super(view.what)
    this.view = view
  }
}

const data = document.getElementById("snapshot")?.textContent ?? ""
const snapshot: Snapshot | null = data === "" ? null : JSON.parse(data)

/** Nothing can be changed in an exported file. */
export const isExport = snapshot !== null

/** `/api/mem?id=…`, without what is empty: the same question has always the same address. */
export function address(endpoint: string, params: Params = {}): string {
  const given = Object.entries(params).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  )
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return query === "" ? `/api/${endpoint}` : `/api/${endpoint}?${query}`
}

/** An exported file holds a part of the project, and offers no more. */
export function canOpen(kind: string, id: string): boolean {
  return snapshot === null || snapshotAnswer(snapshot, address(kind, { id })) !== undefined
}

export async function ask(at: string, project: string | null, signal?: AbortSignal): Promise<unknown> {
  if (snapshot !== null) return exported(snapshot, at)
  return answerOf(await fetch(ofProject(at, project), signal === undefined ? {} : { signal }))
}

export async function send(command: object, project: string | null): Promise<CommandView> {
  const response = await fetch(ofProject("/api/commands", project), {
    method: "POST",
    headers: { "content-type": "application/json", "x-hivemind": "1" },
    body: JSON.stringify({ command }),
  })
  return (await answerOf(response)) as CommandView
}

export interface Listener {
  changed(): void
  queued(command: CommandView): void
  connected(isThere: boolean): void
}

/**
 * Follows what happens in a project until the returned function is called. A browser keeps six connections to a server for all
 * its pages: one that nobody sees gives its own back, so that any number can be open.
 */
export function listen(project: string | null, listener: Listener): () => void {
  if (snapshot !== null) return () => {}
  let stop = document.hidden ? () => {} : hear(project, listener, false)
  const turn = () => {
    stop()
    stop = document.hidden ? () => {} : hear(project, listener, true)
  }
  document.addEventListener("visibilitychange", turn)
  return () => {
    document.removeEventListener("visibilitychange", turn)
    stop()
  }
}

function hear(
  project: string | null,
  { changed, queued, connected }: Listener,
  wasAway: boolean,
): () => void {
  const events = new EventSource(ofProject("/api/events", project))
  let hasMissed = wasAway
  events.addEventListener("open", () => {
    connected(true)
    // What happened while nobody listened was not told.
    if (hasMissed) changed()
    hasMissed = false
  })
  events.addEventListener("error", () => {
    hasMissed = true
    connected(false)
  })
  events.addEventListener("change", changed)
  events.addEventListener("queue", (event) => queued(JSON.parse((event as MessageEvent<string>).data)))
  return () => events.close()
}

function exported(answers: Snapshot, at: string): unknown {
  const answer = snapshotAnswer(answers, at)
  if (answer !== undefined) return answer
  throw new NoAnswer({
    code: "not_exported",
    what: "This is not part of the file.",
    why: "An exported page holds what was looked at most, not the whole project.",
    use_instead: "Run hivemind dashboard in the project to see it.",
  })
}

/** Beside the page: only its server knows where that lies. */
function ofProject(at: string, project: string | null): string {
  const asked = `.${at}`
  if (project === null) return asked
  return `${asked}${at.includes("?") ? "&" : "?"}project=${encodeURIComponent(project)}`
}

async function answerOf(response: Response): Promise<unknown> {
  // One that breaks off, as when the reader has gone to another view, is no answer.
  if (response.ok) return response.json()
  const body: unknown = await response.json().catch(() => null)
  throw new NoAnswer(
    isErrorView(body) ? body : { ...UNKNOWN, why: `The server answered ${response.status}.` },
  )
}

function isErrorView(body: unknown): body is ErrorView {
  return typeof body === "object" && body !== null && "what" in body && "why" in body
}

const UNKNOWN: ErrorView = {
  code: "unknown",
  what: "This could not be loaded.",
  why: "The server gave no answer.",
  use_instead: "Start it again with hivemind dashboard, then reload this page.",
}
