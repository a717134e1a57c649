import type { Frame } from "./frame.ts"
import { isInHive, resolvePath } from "./paths.ts"
import type { Call, Run } from "./program.ts"

/**
 * What changes in HiveMind's own folder is not seen afterwards. So a program that is not known to only read counts as one
 * that writes there, whatever of its words leads there. With an option for what it makes (`hasOutput`) its other words are
 * what it reads. `first` is how many words come before those: an interpreter's script.
 */
export function judgeHiveWords({ name, args, frame, run }: Call, hasOutput: boolean, first = 0): void {
  const words = args.slice(0, MAX_WORDS)
  const plain = words.flatMap((word, at) => (word.startsWith("-") ? [] : [at]))
  const isCopy = COPIES.test(name) && (!/^(docker|podman|kubectl)$/.test(name) || words.includes("cp"))
  const named = new Set(isCopy ? plain.slice(-1) : plain.slice(first))
  for (const [at, word] of words.entries()) {
    if (!mayMean(word, frame, run)) continue
    const [, glued, value = word] = WITH_VALUE.exec(word) ?? []
    const before = words[at - 1] ?? ""
    const option = isCopy ? undefined : (glued ?? (/^-[^=]*[^=-]$/.test(before) ? before : undefined))
    const isRead = READS.test(option ?? "") || (name === "curl" && CURL_READS.test(option ?? ""))
    if (option === undefined ? hasOutput || !named.has(at) : isRead) continue
    // `type=local,dest=x`, `OPEN:x,creat`, `x:/data`: the path is one of its pieces. `host:x` is on another machine.
    for (const piece of isCopy ? [value] : value.split(/[=,:]/))
      if (!piece.startsWith("!") && isInHive(resolvePath(piece, frame, run))) run.writes(piece, frame)
  }
}

/** `CARGO_TARGET_DIR=.hivemind/x cargo build`: a program may write where its environment tells it to. */
export function judgeHiveSettings(frame: Frame, run: Run, isMeant: (name: string) => boolean): void {
  for (const [name, value] of frame.settings) if (isMeant(name)) run.writes(value, frame)
}

/** The settings, with this one, where it leads into HiveMind's folder; a list of folders to search is read. */
export function withSetting(name: string, value: string, frame: Frame, run: Run): Frame["settings"] {
  const isThere =
    !/PATH$/.test(name) && mayMean(value, frame, run) && isInHive(resolvePath(value, frame, run))
  const others = frame.settings.filter(([one]) => one !== name)
  return isThere ? [...others.slice(-MAX_SETTINGS), [name, resolvePath(value, frame, run)]] : others
}

/** A text for people, code, an address and a bare name are no path; a pattern that could be any folder is a test's or a search's. */
function mayMean(word: string, frame: Frame, run: Run): boolean {
  if (frame.elsewhere || /[\s'"()]|:\/\//.test(word)) return false
  return /\.hive/i.test(word) || (/[./]/.test(word) && (run.links.size > 0 || isInHive(frame.cwd)))
}

const WITH_VALUE = /^(-{0,2}\w[\w-]*=|-\w)(.+)$/s
/** Options for what is read or left out. */
const READS = /exclude|ignore|skip|input|config|from|env|body|data|upload|source|schema|filter|include/i
const CURL_READS = /^-[dFTKbE]$/
/** From one machine to another: what they write is named last. */
const COPIES = /^(scp|sftp|aws|gsutil|gcloud|rclone|docker|podman|kubectl)$/
const MAX_WORDS = 500
const MAX_SETTINGS = 10
