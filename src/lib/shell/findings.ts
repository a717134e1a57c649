import { readable } from "./hole.ts"
import { type Judgement, type Kind, UNKNOWN_PATH } from "./judgement.ts"
import { holds, isDisk, isHive, isSink, placeOf, shownPlace } from "./places.ts"
import type { Frame, Run } from "./run.ts"

type Teller = Pick<Run, "destroys" | "writes" | "removes" | "writesSomewhere" | "unseen" | "does">

/** Collects what is found on the way; the first destructive part is the one that is told. */
export class Findings {
  /** The command being judged, as it was written. */
  part = ""
  #destructive: Judgement["destructive"] = null
  #touchesHive = false
  readonly #writes = new Set<string>()
  readonly #unseen = new Set<string>()
  readonly #kinds = new Set<Kind>()

  /** What the judges of programs may say, bound to the run they speak in. */
  teller(run: () => Run): Teller {
    return {
      destroys: (what) => {
        this.#destructive ??= { what, part: readable(this.part) }
      },
      writes: (path, frame) => this.#wrote(placeOf(path, frame, run()), path, frame, run()),
      removes: (path, frame, whole) => {
        const place = placeOf(path, frame, run())
        this.#wrote(place, path, frame, run())
        if (whole && !frame.elsewhere && holds(place, run().project)) this.#hive()
      },
      writesSomewhere: (frame) => {
        if (!frame.elsewhere) this.#writes.add(UNKNOWN_PATH)
      },
      unseen: (what) => {
        if (this.#unseen.size < MAX_UNSEEN) this.#unseen.add(readable(what))
      },
      does: (kind) => {
        this.#kinds.add(kind)
      },
    }
  }

  judgement(): Judgement {
    const unknown = [...this.#unseen]
    const writes = [...this.#writes]
    return {
      destructive: this.#destructive,
      writes,
      touchesHive: this.#touchesHive,
      kind: this.#kind(writes.length > 0),
      unknown,
    }
  }

  #wrote(place: string, word: string, frame: Frame, run: Run): void {
    if (word === "" || isSink(place)) return
    if (isDisk(place)) {
      this.#destructive ??= { what: "writes over a disk", part: readable(this.part) }
      return
    }
    if (frame.elsewhere) return
    this.#writes.add(shownPlace(place, run.project) ?? UNKNOWN_PATH)
    if (isHive(place)) this.#hive()
  }

  #hive(): void {
    this.#touchesHive = true
    this.#destructive ??= {
      what: "writes to .hivemind/, which only HiveMind does",
      part: readable(this.part),
    }
  }

  #kind(wrote: boolean): Kind {
    for (const kind of ["test", "build", "git"] as const) if (this.#kinds.has(kind)) return kind
    if (wrote || this.#kinds.has("write")) return "write"
    return this.#kinds.has("read") && !this.#kinds.has("other") && this.#unseen.size === 0 ? "read" : "other"
  }
}

const MAX_UNSEEN = 20
