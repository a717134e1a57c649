import { runGit } from "../../project/git/run-git.ts"
import { readClaude } from "./claude.ts"
import { readCodex } from "./codex.ts"
import { type FoundSession, fieldsOf, type Steps, textOf } from "./step.ts"

/**
 * Sessions that Entire keeps on a branch of the repository: a folder per checkpoint, in it a folder per session with its whole
 * transcript up to then. Only the newest of each session is read.
 */
export async function entireSessions(dir: string): Promise<FoundSession[]> {
  for (const ref of ["refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1"]) {
    const listed = await git(dir, ["ls-tree", "-r", "-l", ref])
    if (listed !== undefined) return newestOf(dir, filesIn(listed.toString()))
  }
  return []
}

type TreeFiles = ReadonlyMap<string, { hash: string; bytes: number }>

function filesIn(listed: string): TreeFiles {
  const lines = listed.matchAll(/^\d+ blob ([0-9a-f]+) +(\d+)\t(.+)$/gm)
  return new Map([...lines].map(([, hash = "", bytes, path = ""]) => [path, { hash, bytes: Number(bytes) }]))
}

async function newestOf(dir: string, files: TreeFiles): Promise<FoundSession[]> {
  const folders = [...files.keys()].flatMap((path) => /^(.+\/\d+)\/full\.jsonl$/.exec(path)?.[1] ?? [])
  const described = folders.filter((folder) => files.has(`${folder}/metadata.json`))
  const hashOf = (folder: string) => files.get(`${folder}/metadata.json`)?.hash ?? ""
  const texts = await blobs(dir, described.map(hashOf))
  const newest = new Map<string, FoundSession>()
  for (const [at, folder] of described.entries()) {
    const { session_id, created_at, agent } = jsonIn(texts[at])
    const [id, modified] = [textOf(session_id), textOf(created_at)]
    const read = READERS[textOf(agent) || "Claude Code"]
    if (id === "" || read === undefined || (newest.get(id)?.modified ?? "") >= modified) continue
    // A long transcript is in several files: `full.jsonl.001`.
    const parts = [...files].filter(([path]) => path.startsWith(`${folder}/full.jsonl`)).sort()
    const hashes = parts.map(([, { hash }]) => hash)
    const bytes = parts.reduce((sum, [, file]) => sum + file.bytes, 0)
    if (bytes > MAX_BYTES) continue
    const open = async () => read([Buffer.from((await blobs(dir, hashes)).join("\n"))])
    const [path, version] = [`entire/checkpoints/v1:${folder}`, hashes.join(" ")]
    newest.set(id, { agent: "entire", id, path, bytes, modified, version, open })
  }
  return [...newest.values()]
}

/** The contents of objects, in order. */
async function blobs(dir: string, hashes: readonly string[]): Promise<string[]> {
  const output =
    hashes.length === 0 ? undefined : await git(dir, ["cat-file", "--batch"], `${hashes.join("\n")}\n`)
  const texts: string[] = []
  for (let at = 0; output !== undefined && at < output.length; ) {
    const end = output.indexOf(0x0a, at)
    const size = Number(/ blob (\d+)$/.exec(output.toString("latin1", at, end))?.[1] ?? 0)
    texts.push(output.toString("utf8", end + 1, end + 1 + size))
    at = end + size + 2
  }
  return texts
}

async function git(dir: string, args: readonly string[], input?: string): Promise<Buffer | undefined> {
  try {
    return await runGit(dir, args, {
      timeoutMs: LIMIT_MS,
      maxBytes: 2 * MAX_BYTES,
      ...(input !== undefined && { input }),
    })
  } catch {
    return undefined // No such branch, or no repository.
  }
}

function jsonIn(text: string | undefined): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text ?? ""))
  } catch {
    return {}
  }
}

const READERS: Readonly<Record<string, (pieces: Iterable<Buffer>) => Steps>> = {
  "Claude Code": readClaude,
  Codex: readCodex,
}
const LIMIT_MS = 60_000
// Git gives a whole transcript at once.
const MAX_BYTES = 64 << 20
