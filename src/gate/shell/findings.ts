import { forgetCopy } from "./done-so-far.ts"
import type { Frame } from "./frame.ts"
import {
  type CommandKind,
  type Judgement,
  type Loss,
  MAX_WRITTEN_FILES,
  type Question,
  UNKNOWN_PATH,
} from "./judgement.ts"
import { foundIn } from "./listed-files.ts"
import {
  contains,
  displayPath,
  isDiscarded,
  isDiskDevice,
  isInHive,
  MAX_WORD_CHARS,
  resolvePath,
} from "./paths.ts"
import type { Run } from "./program.ts"
import { readable } from "./unknown-text.ts"

type Reports = Pick<Run, "destroys" | "loses" | "writes" | "removes" | "writesUnknownPath" | "addKind">

export interface Findings {
  /** The command being judged, as it was written. */
  part: string
  /** What the judges of programs may report, bound to their run. */
  reports(run: () => Run): Reports
  judgement(): Omit<Judgement, "moved">
}

/** Collects what is found on the way; the first destructive part is the one that is reported. */
export function newFindings(): Findings {
  let destructive: Judgement["destructive"] = null
  let hive: Judgement["destructive"] = null
  const losses = new Map<string, Loss>()
  const writes = new Set<string>()
  const removedFolders = new Set<string>()
  const kinds = new Set<CommandKind>()

  // One command may lose hundreds of files.
  let shown = { of: "", text: "" }
  const part = () => {
    if (shown.of !== findings.part) shown = { of: findings.part, text: readable(findings.part) }
    return shown.text
  }
  const destroys = (what: string) => {
    destructive ??= { what, part: part() }
  }
  const loses = (question: Question) => {
    const key = JSON.stringify(question)
    if (losses.has(key)) return
    if (losses.size < MAX_LOSSES) losses.set(key, { question, part: part() })
    else destroys("deletes or replaces more than can be looked at")
  }
  const touchHive = () => {
    hive ??= { what: "writes to .hivemind/, which only HiveMind does", part: part() }
  }
  const addWrite = (word: string, frame: Frame, run: Run): string => {
    const path = resolvePath(word, frame, run)
    if (word === "" || isDiscarded(path)) return path
    if (word.length > MAX_WORD_CHARS) destroys("writes to a path that is too long to follow")
    kinds.add("write")
    const found = foundIn(word, run)
    if (found !== undefined) loses(found)
    forgetCopy(run.done, path)
    run.aside.delete(path)
    if (isDiskDevice(path)) destroys("writes over a disk")
    else if (!frame.elsewhere) {
      // One more than may be named: such a call is refused.
      if (writes.size <= MAX_WRITTEN_FILES) writes.add(displayPath(path, run.project) ?? UNKNOWN_PATH)
      if (isInHive(path, run.shell.dotglob)) touchHive()
    }
    return path
  }

  const findings: Findings = {
    part: "",
    reports: (run) => ({
      destroys,
      loses,
      writes: (path, frame) => {
        addWrite(path, frame, run())
      },
      removes: (path, frame, whole) => {
        const resolved = addWrite(path, frame, run())
        const { project, hive } = run()
        const shown = displayPath(resolved, project)
        if (whole && !frame.elsewhere && shown !== undefined && removedFolders.size < MAX_WRITTEN_FILES)
          removedFolders.add(shown)
        if (whole && !frame.elsewhere && (contains(resolved, project) || contains(resolved, hive)))
          touchHive()
      },
      writesUnknownPath: (frame) => {
        if (!frame.elsewhere) writes.add(UNKNOWN_PATH)
      },
      addKind: (kind) => {
        kinds.add(kind)
      },
    }),
    judgement: () => ({
      // Deleting the whole project is reported as that, though its .hivemind/ goes with it.
      destructive: destructive ?? hive,
      losses: [...losses.values()],
      writes: [...writes],
      removedFolders: [...removedFolders],
      touchesHive: hive !== null,
      kind: mainKind(kinds, writes.size > 0),
    }),
  }
  return findings
}

/** One command may do many things; the most important is its kind. */
function mainKind(kinds: ReadonlySet<CommandKind>, writes: boolean): CommandKind {
  for (const kind of ["test", "build", "git"] as const) if (kinds.has(kind)) return kind
  if (writes || kinds.has("write")) return "write"
  return kinds.has("read") && !kinds.has("other") ? "read" : "other"
}

const MAX_LOSSES = 200
