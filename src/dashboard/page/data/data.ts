import type { CommandView, ErrorView } from "../../answers/model.ts"
import { type ExportedAnswers, exportedAnswer } from "./exported.ts"

export type Params = Readonly<Record<string, string | number | null | undefined>>

export class NoAnswer extends Error {
  readonly view: ErrorView
  constructor(view: ErrorView) {
    super(view.what)
    this.view = view
  }
}

const data = document.getElementById("snapshot")?.textContent ?? ""
const exported: ExportedAnswers | null = data === "" ? null : JSON.parse(data)

export const isExport = exported !== null

/** An address such as `/api/mem?id=…`. Empty parameters are left out, so that equal requests have equal addresses. */
export function address(endpoint: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value != null && value !== "") query.set(name, `${value}`)
  return query.size === 0 ? `/api/${endpoint}` : `/api/${endpoint}?${query}`
}

/** False if the page is an exported file without this record. Its title is then shown without a link. */
export function canOpen(kind: string, id: string): boolean {
  return exported === null || exportedAnswer(exported, address(kind, { id })) !== undefined
}

/** Requests data from the server, or reads it from the exported file. The URL is relative: the page's path is random. */
export async function ask(at: string, signal?: AbortSignal): Promise<unknown> {
  if (exported === null) return answerOf(await fetch(`.${at}`, signal === undefined ? {} : { signal }))
  const answer = exportedAnswer(exported, at)
  if (answer !== undefined) return answer
  throw new NoAnswer({
    code: "not_exported",
    what: "This is not in the exported file.",
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
