import { readable } from "./hole.ts"
import { type Judgement, type Kind, UNKNOWN_PATH } from "./judgement.ts"
import { holds, isDisk, isHive, isSink, placeOf, shownPlace } from "./places.ts"
import type { Frame, Run } from "./run.ts"

type Teller = Pick<Run, "destroys" | "writes" | "removes" | "writesSomewhere" | "unseen" | "does">

export interface Findings {
  /** The command being judged, as it was written. */
  part: string
  /** What the judges of programs may say, bound to the run they speak in. */
  teller(run: () => Run): Teller
  judgement(): Judgement
}

/** Collects what is found on the way; the first destructive part is the one that is told. */
export function newFindings(): Findings {
  let destructive: Judgement["destructive"] = null
  let hive: Judgement["destructive"] = null
  const writes = new Set<string>()
  const unseen = new Set<string>()
  const kinds = new Set<Kind>()

  const destroys = (what: string) => {
    destructive ??= { what, part: readable(findings.part) }
  }
  const touchHive = () => {
    hive ??= { what: "writes to .hivemind/, which only HiveMind does", part: readable(findings.part) }
  }
  const wrote = (word: string, frame: Frame, run: Run): string => {
    const place = placeOf(word, frame, run)
    if (word === "" || isSink(place)) return place
    kinds.add("write")
    if (isDisk(place)) destroys("writes over a disk")
    else if (!frame.elsewhere) {
      if (writes.size < MAX_TOLD) writes.add(shownPlace(place, run.project) ?? UNKNOWN_PATH)
      else writes.add(UNKNOWN_PATH)
      if (isHive(place)) touchHive()
    }
    return place
  }

  const findings: Findings = {
    part: "",
    teller: (run) => ({
      destroys,
      writes: (path, frame) => {
        wrote(path, frame, run())
      },
      removes: (path, frame, whole) => {
        const place = wrote(path, frame, run())
        if (whole && !frame.elsewhere && holds(place, run().project)) touchHive()
      },
      writesSomewhere: (frame) => {
        if (!frame.elsewhere) writes.add(UNKNOWN_PATH)
      },
      unseen: (what) => {
        if (unseen.size < MAX_UNSEEN) unseen.add(readable(what))
      },
      does: (kind) => {
        kinds.add(kind)
      },
    }),
    judgement: () => ({
      // Deleting the whole project is told as that, though its .hivemind/ goes with it.
      destructive: destructive ?? hive,
      writes: [...writes],
      touchesHive: hive !== null,
      kind: kindOf(kinds, writes.size > 0, unseen.size > 0),
      unknown: [...unseen],
    }),
  }
  return findings
}

/** One command may do many things; the most telling is its kind. */
function kindOf(kinds: ReadonlySet<Kind>, wrote: boolean, hasUnseen: boolean): Kind {
  for (const kind of ["test", "build", "git"] as const) if (kinds.has(kind)) return kind
  if (wrote || kinds.has("write")) return "write"
  return kinds.has("read") && !kinds.has("other") && !hasUnseen ? "read" : "other"
}

const MAX_UNSEEN = 20
const MAX_TOLD = 500
