import { createHash } from "node:crypto"
import { join, relative } from "node:path"
import type { Caller, Hive } from "../../hive/hive.ts"
import { readProjectFile } from "../../project/files/read-file.ts"
import { scanProject } from "../../project/scan/scan-project.ts"
import { hasHive, hivePaths } from "../../store/files/layout.ts"
import { readText, replaceText } from "../../store/files/text-file.ts"
import { firstProse } from "./first-prose.ts"
import { profileText } from "./profile.ts"
import { type Proposal, propose } from "./propose.ts"
import { type HiveScan, type ScanOptions, scanHive } from "./scan-hive.ts"

export interface Onboarding {
  scan: HiveScan
  profile: {
    /** Relative to the project. */
    path: string
    text: string
    outcome: "written" | "unchanged" | "edited by hand, left as it is" | "not written"
  }
  proposal: Proposal
}

/**
 * Gets to know a project: scans it, keeps a profile for people and first mems, and proposes scopes and checks. A profile
 * that somebody has edited is theirs from then on. Done twice, it changes nothing.
 */
export async function onboard(
  hive: Hive,
  caller: Caller,
  { dryRun = false, ...options }: ScanOptions & { dryRun?: boolean } = {},
): Promise<Onboarding> {
  const scan = dryRun ? await tryOut(hive, options) : await scanHive(hive, caller, "full", options)
  const proposal = propose(scan.map, hive.config)
  const text = marked(profileText(scan.map, proposal, introduction(hive, scan)))
  const path = join(hivePaths(hive.home).project, "profile.md")
  const outcome = dryRun || !hasHive(hive.home) ? "not written" : writeProfile(path, text)
  return { scan, profile: { path: relative(hive.home, path), text, outcome }, proposal }
}

async function tryOut({ dir, source }: Hive, options: ScanOptions): Promise<HiveScan> {
  const { map } = await scanProject(dir, { at: new Date(source.now()).toISOString(), ...options })
  return { map, drift: null, facts: null, followed: 0, isKept: false }
}

function writeProfile(path: string, text: string): Onboarding["profile"]["outcome"] {
  const there = readText(path)
  if (there === text) return "unchanged"
  if (there !== undefined && !isOurs(there)) return "edited by hand, left as it is"
  replaceText(path, text)
  return "written"
}

/** The last line has a hash of all above it: one that does not fit tells that somebody has edited the text. */
function marked(text: string): string {
  return `${text}\n<!-- hivemind ${hashOf(text)} -->\n`
}

function isOurs(text: string): boolean {
  const [, body, hash] = /^([\s\S]*)\n<!-- hivemind (\w+) -->\n$/.exec(text) ?? []
  return body !== undefined && hashOf(body) === hash
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12)
}

/** The first words of the README that are no picture, badge or heading. */
function introduction({ dir }: Hive, { map }: HiveScan): string {
  const readme = map.documents.find(({ path, type }) => type === "readme" && !path.includes("/"))
  const read = readme === undefined ? undefined : readProjectFile(dir, readme.path, MAX_README_BYTES)
  if (read === undefined || !("text" in read)) return ""
  return firstProse(read.text)
}

const MAX_README_BYTES = 256 << 10
