import { statSync } from "node:fs"
import type { Hive } from "../../hive/hive.ts"
import { STEPS } from "../older/layout.ts"
import type { OldFile } from "../older/old-file.ts"
import { untakenFiles } from "../take-over/migrate.ts"
import { readOldGraph } from "./old-graph.ts"
import { storeWithOld } from "./store.ts"

interface ReadingOld {
  hive: Hive
  /** What a turn waits for is read. */
  soon: Promise<void>
  /** All that is wanted is read. */
  read: Promise<void>
}

/** The hive with what old files hold beside it; undefined where there are none, or where they cannot be found. */
export function readingOld(hive: Hive, wanted: "all" | "few mems"): ReadingOld | undefined {
  const files = filesIn(hive.home)
  if (files.length === 0) return undefined
  const bytes = bytesOfMems(files)
  // In a graph that has this many, most are taken over: the others are found in their files.
  const most = hive.store.read().state.mem.size > MAX_MEMS ? 0 : MAX_MEMS
  const old = readOldGraph(hive, files, wanted === "all" || bytes <= FEW_BYTES ? most : "unread")
  return {
    hive: { ...hive, store: storeWithOld(hive, old) },
    soon: bytes <= SOON_BYTES ? old.wanted : old.head,
    read: old.wanted,
  }
}

function filesIn(home: string): OldFile[] {
  try {
    return untakenFiles(home)
  } catch {
    return [] // The migration comes upon the same, and tells. A turn goes on with the graph.
  }
}

function bytesOfMems(files: readonly OldFile[]): number {
  return files
    .filter(({ step }) => step >= STEPS.indexOf("mems"))
    .reduce((sum, { path }) => sum + sizeOf(path), 0)
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0 // Gone meanwhile, or not for us to see: nothing is read of it.
  }
}

// As many as are worth holding twice.
const MAX_MEMS = 2000
// Some hundred mems, a few milliseconds: the first turn waits for them.
const SOON_BYTES = 100_000
// What is read beside the first turns. More than that is on its way into the graph before anybody would have read it here.
const FEW_BYTES = 1 << 20
