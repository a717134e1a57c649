import { mergeParts, openDiskIndex } from "../knowledge/index/disk-index.ts"
import { DamagedIndex, type DiskPart } from "../knowledge/index/disk-part.ts"
import { WordIndex } from "../knowledge/index/word-index.ts"
import { candidatesFor } from "../knowledge/recall/candidates.ts"
import { explain, matchIn, phraseBonus } from "../knowledge/recall/match.ts"
import { rank } from "../knowledge/recall/rank.ts"
import { queryTerms } from "../knowledge/words/terms.ts"
import { type Pausing, runInSlices } from "../shared/slices.ts"
import type { HistoryFiles } from "../store/history-files.ts"
import { type Passage, type ReadSession, readSummary } from "./read-session.ts"

/** The search index for passages of past sessions. It is written to files repeatedly to limit its memory. */
export function openTurnIndex(files: HistoryFiles) {
  const disk = openDiskIndex(files.index)
  let index: WordIndex | undefined

  async function load(): Promise<WordIndex> {
    index ??= new WordIndex((await runInSlices(disk.load()))?.files)
    return index
  }

  async function write(): Promise<void> {
    const from = await load()
    if (from.memory.size === 0) return
    let parts: DiskPart[] = [...from.files, await disk.write(mergeParts([from.memory]).content)]
    if (parts.length > MAX_FILES) parts = [await disk.write(mergeParts(parts).content)]
    await disk.replaceList({ after: "", walked: null }, parts)
    from.close()
    index = new WordIndex(parts)
  }

  return {
    /** Adds passages. Returns true if all passages are in files now. */
    async put(session: string, passages: readonly Passage[]): Promise<boolean> {
      const to = await load()
      await runInSlices(putAll(to, session, passages))
      if (to.memory.size < WRITTEN_AT) return false
      await write()
      return true
    },
    write,
    async find(query: string, limit: number): Promise<FoundPassage[]> {
      const words = queryTerms(query)
      if (words.length === 0) return []
      const over = await load()
      try {
        return await runInSlices(search(over, files, words, limit))
      } finally {
        over.close()
      }
    },
    /** True if the index is damaged or has another version, and must be built again. */
    async isLost(): Promise<boolean> {
      try {
        return (await load()).size === 0 && files.sessions().length > 0
      } catch (error) {
        if (error instanceof DamagedIndex) return true
        throw error
      }
    },
  }
}

export interface FoundPassage {
  session: ReadSession
  passage: Passage
  score: number
  why: string
}

function* putAll(to: WordIndex, session: string, passages: readonly Passage[]): Pausing<void> {
  for (const [at, { id, text }] of passages.entries()) {
    to.put({
      ...{ id, content: text, origin_task_id: session, status: "active", origin: "history", kind: "fact" },
      ...{ reason: null, tags: [], evidence: [], supersedes: null, parent_mem_id: null },
      related_to: passages.slice(at - 1, at).map((before) => before.id),
    })
    yield
  }
}

function* search(
  index: WordIndex,
  files: HistoryFiles,
  words: ReturnType<typeof queryTerms>,
  limit: number,
): Pausing<FoundPassage[]> {
  const isWanted = () => true
  const ranking = yield* rank(index, words, limit * 2 + CANDIDATES, isWanted)
  const found: FoundPassage[] = []
  const filter = { isWanted, isShown: isWanted, weightOf: () => 1 }
  for (const { entry, score, share } of candidatesFor(index, ranking, filter)) {
    if (found.length >= limit + MORE) break
    yield
    const session = readSummary(files, entry.task ?? "")
    // The cast is safe: HiveMind itself wrote the file.
    const passage = files.passage(entry.task ?? "", entry.id) as Passage | undefined
    if (session === undefined || passage === undefined) continue
    const match = matchIn({ content: passage.text, tags: [], evidence: [], reason: null }, ranking.found)
    const total = score + phraseBonus(match, ranking.found) * share
    found.push({ session, passage, score: total, why: explain(match).join("; ") })
  }
  return found.sort((a, b) => b.score - a.score).slice(0, limit)
}

const WRITTEN_AT = 3000
const MAX_FILES = 8
const MORE = 5
const CANDIDATES = 8
