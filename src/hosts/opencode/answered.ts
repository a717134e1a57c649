/** What OpenCode's client gives back. It does not throw where the server refuses: then there is an error, and no data. */
interface Reply {
  data?: unknown
  error?: unknown
  response?: { status: number }
}

/** The data of a reply. Throws where there is an error, which would else read like an empty answer. */
export function must<R extends Reply>(reply: R): NonNullable<R["data"]> {
  if (reply.error !== undefined) throw new Error(`OpenCode refused: ${describe(reply)}`)
  if (reply.data === undefined || reply.data === null) throw new Error("OpenCode gave no answer")
  return reply.data
}

/** The same; undefined where OpenCode does not know what it was asked about. */
export function ifKnown<R extends Reply>(reply: R): NonNullable<R["data"]> | undefined {
  return reply.response?.status === 404 ? undefined : must(reply)
}

function describe({ error, response }: Reply): string {
  const text = typeof error === "string" ? error : JSON.stringify(error)
  return `${response?.status ?? ""} ${text}`.trim().slice(0, MAX_TEXT)
}

const MAX_TEXT = 500
