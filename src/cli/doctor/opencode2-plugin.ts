/** What OpenCode 2 says of our plugin in a project: whether it is active, and its own words where it is not. */
export interface PluginAnswer {
  isActive: boolean
  complaints: string[]
}

/** Asks until the project is loaded: its plugins are set up at its first use, and until then the list is empty. */
export async function askForPlugin(
  url: string,
  projectDir: string,
  headers: Record<string, string>,
  deadline: AbortSignal,
): Promise<PluginAnswer> {
  const query = new URLSearchParams({ "location[directory]": projectDir })
  for (let asked = 0; ; asked++) {
    const answer = await fetch(`${url}/api/plugin?${query}`, { headers, signal: deadline })
    const body: unknown = await answer.json()
    if (!answer.ok) return { isActive: false, complaints: [JSON.stringify(body).slice(0, MAX_SHOWN)] }
    const plugins = pluginsIn(body)
    const isActive = plugins.some(({ id, status }) => id === "hivemind" && status === "active")
    if (isActive || (plugins.length > 0 && asked >= ASK_AT_LEAST))
      return { isActive, complaints: plugins.filter(({ status }) => status === "failed").map(complaintOf) }
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
}

interface HostPlugin {
  id?: string
  status?: string
  source?: { path?: string }
  error?: unknown
}

function pluginsIn(body: unknown): HostPlugin[] {
  const data = typeof body === "object" && body !== null && "data" in body ? body.data : undefined
  return Array.isArray(data) ? data : []
}

/** Its words without the places in its own code. */
function complaintOf({ source, error }: HostPlugin): string {
  const why = typeof error === "string" ? error.split(/\n\s+at [^[]/)[0] : JSON.stringify(error)
  return `Failed to load plugin ${source?.path ?? JSON.stringify(source)}: ${why}`.slice(0, MAX_SHOWN)
}

const MAX_SHOWN = 500
const ASK_EVERY_MS = 200
/** Plugins are listed before they are all set up. */
const ASK_AT_LEAST = 10
