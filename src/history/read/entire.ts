import { askGit } from "../../project/git/git.ts"
import { openObjects } from "../../project/git/objects.ts"
import { runGit } from "../../project/git/run-git.ts"
import { type FoundSession, jsonIn, type Steps, textOf } from "./step.ts"
import { formatOf } from "./transcripts.ts"

/** Entire stores whole transcripts on a git branch, in a folder per checkpoint. Finds the newest folder of each session. */
export async function entireSessions(dir: string): Promise<FoundSession[]> {
  const list = (ref: string) => askGit(dir, ["ls-tree", "-r", "-l", "--full-tree", ref])
  const listed = (await list(`refs/heads/${BRANCH}`)) ?? (await list(`refs/remotes/origin/${BRANCH}`)) ?? ""
  const lines = [...listed.matchAll(/^\d+ blob ([0-9a-f]+) +(\d+)\t(.+)$/gm)]
  const files = lines.map(([, hash = "", bytes, path = ""]) => ({ path, hash, bytes: Number(bytes) }))
  const newest = new Map<string, { folder: string; modified: string }>()
  const objects = openObjects(dir)
  try {
    for (const { path, hash } of files) {
      const folder = /^(.+\/\d+)\/metadata\.json$/.exec(path)?.[1]
      const about = folder === undefined ? undefined : await objects.read(hash)
      if (folder === undefined || about === undefined) continue
      const { session_id, created_at } = jsonIn(about.content.toString())
      const [id, modified] = [textOf(session_id), textOf(created_at)]
      if (id !== "" && (newest.get(id)?.modified ?? "") < modified) newest.set(id, { folder, modified })
    }
  } finally {
    objects.close()
  }
  return [...newest].flatMap(([id, { folder, modified }]) => {
    // A long transcript is split into several files, such as `full.jsonl.001`.
    const parts = files.filter(({ path }) => path.startsWith(`${folder}/full.jsonl`))
    const hashes = parts.map(({ hash }) => hash)
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
    const path = `${BRANCH}:${folder}`
    const open = () => readTranscript(dir, path, hashes)
    const found = { agent: "entire", id, path, bytes, modified, version: hashes.join(" "), open } as const
    return bytes === 0 || bytes > MAX_BYTES ? [] : [found]
  })
}

async function readTranscript(dir: string, path: string, hashes: readonly string[]): Promise<Steps> {
  const parts: Buffer[] = []
  for (const hash of hashes) parts.push(await runGit(dir, ["cat-file", "blob", hash]), Buffer.from("\n"))
  const whole = Buffer.concat(parts)
  const format = formatOf("full.jsonl", whole.toString("utf8", 0, HEAD_BYTES))
  if (format === undefined) throw new Error("not a transcript of Claude Code, Codex CLI or Gemini CLI")
  return format.read([whole], path)
}

const BRANCH = "entire/checkpoints/v1"
const HEAD_BYTES = 1 << 17
// Larger transcripts are skipped, because git returns the whole file at once.
const MAX_BYTES = 64 << 20
