import type { Block } from "../../context/pack/block.ts"
import { pack } from "../../context/pack/pack.ts"
import { headOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { evidenceCheck } from "../../knowledge/memory/evidence.ts"
import type { CodeLook } from "../../project/codemap/code-look.ts"
import { fileLook } from "../../project/document/file-look.ts"

export interface PackedWanted {
  /** The host's id of a session whose place in the graph counts; null: the project's. */
  session: string | null
  /** A moment in the past, in ms; left out: now. */
  asOf?: number | undefined
}

/** What the code map says of files, as in a turn: of one that is there. */
async function codeLook(hive: Hive): Promise<CodeLook> {
  const { codeMapOf, lookInto } = await import("../../project/codemap/renew.ts") // Large, and seldom needed.
  const codeMap = codeMapOf(hive)
  if (!codeMap.hasFile()) return () => undefined
  const map = await codeMap.refresh()
  return lookInto(map, await codeMap.graphOf(map))
}

/** The block that the model would be sent in full. Reads only. */
export async function packedState(hive: Hive, { session, asOf }: PackedWanted): Promise<Block> {
  const state = asOf === undefined ? hive.store.read().state : await hive.store.asOf(asOf)
  return pack(state, headOf(state, session), {
    now: asOf ?? hive.source.now(),
    branch: hive.branch(),
    model: { window: undefined, share: hive.config.budget_share },
    stamp: sessionOf(state, session)?.stamp,
    turningPoints: sessionOf(state, session)?.turning_points,
    // The files of then are gone: those of now would mark as changed what was not.
    ...(asOf === undefined
      ? {
          archivedCount: hive.store.archive.size(),
          evidence: evidenceCheck(hive.dir),
          files: fileLook(hive.dir),
          code: await codeLook(hive),
        }
      : {}),
  })
}
