import { resolveId } from "../../graph/resolve-id.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import type { Conflict } from "../../schemas/conflict.ts"
import { HiveError } from "../../shared/error.ts"
import { lastVersion } from "./last-version.ts"
import { takeLost } from "./take-lost.ts"

export type Take = "kept" | "lost"

/** Decides a conflict, in one write: what stands stays, or what lost takes its place. Every clone gets the decision. */
export async function settleConflict(
  hive: Hive,
  caller: Caller,
  { conflict: ref, take }: { conflict: string; take: Take },
): Promise<Conflict> {
  if (take !== "kept" && take !== "lost") throw unknownSide(take)
  const { store, source } = hive
  const id = resolveId(store.read().state, "conflict", ref)
  const known = store.read().state.conflict.get(id)
  const last = take === "lost" && known !== undefined ? await lastVersion(store, known) : undefined
  const at = new Date(source.now()).toISOString()
  const { result } = await store
    .write(authorOf(caller), (tx) => {
      const conflict = tx.need("conflict", id)
      if (conflict.status === "settled") throw settledAlready(conflict)
      if (take === "lost") takeLost(tx, conflict, { last, archived: store.archive.get, at })
      tx.set("conflict", id, { status: "settled", updated_at: at })
      return tx.need("conflict", id)
    })
    .catch((error: unknown) => {
      throw known?.rule === "circle" && error instanceof HiveError && error.code === "cycle"
        ? stillACircle(known, error)
        : error
    })
  return result
}

function unknownSide(take: unknown): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: "It is not clear which side to take.",
    why: "A conflict has two: what was kept, and what lost.",
    use_instead: "Take `kept` or `lost`.",
    evidence: `take = ${String(take)}`,
  })
}

function settledAlready({ id }: Conflict): HiveError {
  return new HiveError({
    code: "conflict",
    what: "This conflict is settled already.",
    why: "Somebody has decided it, here or in another clone.",
    use_instead: "If the record is not as it should be, change it.",
    evidence: `conflict ${id}`,
  })
}

function stillACircle({ kind, record_id }: Conflict, cause: HiveError): HiveError {
  return new HiveError(
    {
      code: "cycle",
      what: "What lost cannot be put in force: it would make a circle.",
      why: cause.why,
      use_instead: `Take out another link of the circle by changing one of these ${kind}s; then take what lost, or take what was kept.`,
      evidence: `${kind} ${record_id}`,
    },
    { cause },
  )
}
