import { headIdOf, PROJECT_HEAD_ID } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { askGit } from "../project/git/git.ts"
import { tryParse } from "../schemas/checked.ts"
import { type Trajectory, trajectory } from "../schemas/session.ts"
import { parseJson } from "../store/files/json-lines.ts"
import { createConfig, hivePaths } from "../store/files/layout.ts"
import { readText } from "../store/files/text-file.ts"
import { graphIn, type Store } from "../store/store.ts"
import { type Backup, type Repository, withRepository } from "./ref.ts"

// The log of a backup has no configuration and no read-heads, because clones do not share them. They have a ref of
// their own in the backup.

export type LocalHive = Pick<Hive, "store" | "home">

/** The parts that a restore brought back besides the log's entries. */
export interface RestoredState {
  config: boolean
  /** How many sessions got their read-head back. */
  heads: number
}

export async function saveLocalState({ store, home }: LocalHive, backup: Backup): Promise<void> {
  const texts = new Map<string, string>()
  const { config } = hivePaths(home)
  // A configuration that git tracks is not backed up: restored without git, it could lift limits that a tracked one may not.
  const text = (await isTracked(home)) ? undefined : readText(config)
  if (text !== undefined) texts.set(CONFIG, text)
  const heads = newestHeads(store)
  if (heads.length > 0) texts.set(HEADS, heads.map((head) => JSON.stringify(head)).join("\n"))
  await withRepository(backup, "back up the configuration", async (repo) => {
    // Tries again if another process has saved at the same time.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) if (await saveTexts(repo, texts)) return
  })
}

async function saveTexts(repo: Repository, texts: ReadonlyMap<string, string>): Promise<boolean> {
  const before = await repo.resolve(repo.localRef)
  const saved = await readTexts(repo, before)
  if (saved.size === texts.size && [...texts].every(([path, text]) => saved.get(path) === text)) return true
  const tree = new Map<string, string>()
  for (const [path, text] of texts) tree.set(path, await repo.writeBlob(text))
  const commit = await repo.commit(await repo.writeTree(tree), [], "local state", "@0 +0000")
  return repo.move(repo.localRef, commit, before)
}

async function readTexts(repo: Repository, commit: string | undefined): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  // A blob of a backup ends with an added newline.
  for (const [path, blob] of await repo.readTree(commit))
    texts.set(path, (await repo.readBlob(blob)).toString("utf8").slice(0, -1))
  return texts
}

/** Chooses the project's read-head and those of the sessions that were active last. */
function newestHeads(store: Store): Trajectory[] {
  const { trajectory: heads } = graphIn(store).read().state
  const project = heads.get(PROJECT_HEAD_ID)
  const ofSessions = [...heads.values()].filter(({ id }) => id !== PROJECT_HEAD_ID)
  const newest = ofSessions.sort((a, b) => b.updated_at.localeCompare(a.updated_at)).slice(0, MAX_HEADS)
  return project === undefined ? newest : [project, ...newest]
}

function readLocalState(backup: Backup): Promise<Map<string, string>> {
  return withRepository(backup, "read the backup", async (repo) =>
    readTexts(repo, await repo.resolve(repo.localRef)),
  )
}

/** Restores the configuration from the backup, unless there is one, or git has one. */
export async function restoreConfig(home: string, backup: Backup): Promise<boolean> {
  const text = (await readLocalState(backup)).get(CONFIG)
  return text !== undefined && !(await isTracked(home)) && (await createConfig(home, text))
}

/** Must run after the log was restored, because read-heads refer to its records. Keeps read-heads that are newer. */
export async function restoreHeads(store: Store, backup: Backup): Promise<number> {
  const lines = ((await readLocalState(backup)).get(HEADS) ?? "").split("\n")
  const saved = lines.flatMap((line) => {
    const parsed = tryParse(trajectory, parseJson(line))
    return parsed.success ? [parsed.data] : []
  })
  if (saved.length === 0) return 0
  const by = { tool: "restore", session: null, agent: null }
  const { result } = await graphIn(store).write(by, (tx) => {
    let count = 0
    for (const head of saved) {
      const there = tx.get("trajectory", head.id)
      const session = head.session_id === null ? undefined : tx.get("session", head.session_id)
      const isOfSession = session !== undefined && headIdOf(session.host_id) === head.id
      if (there?.active_plan_id != null || (!isOfSession && head.id !== PROJECT_HEAD_ID)) continue
      const plan = tx.get("plan", head.active_plan_id ?? "")
      const phase = tx.get("phase", head.active_phase_id ?? "")
      const to = {
        ...head,
        active_plan_id: plan?.id ?? null,
        active_phase_id: phase !== undefined && phase.parent_plan_id === plan?.id ? phase.id : null,
        active_task_ids: head.active_task_ids.filter((id) => tx.get("task", id) !== undefined),
        intent_shift_at: null,
      }
      if (there === undefined) tx.add("trajectory", to)
      else tx.set("trajectory", head.id, to)
      count++
    }
    return count
  })
  return result
}

async function isTracked(home: string): Promise<boolean> {
  const files = await askGit(home, ["ls-files", "--", hivePaths(home).config])
  return files !== undefined && files !== ""
}

const CONFIG = "system/config.json"
const HEADS = "state/heads.jsonl"
const MAX_HEADS = 100
const MAX_ATTEMPTS = 3
