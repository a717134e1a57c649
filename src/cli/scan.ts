import { relative } from "node:path"
import { agentFolders, pastSessionsOffer } from "../history/find-sessions.ts"
import type { Hive } from "../hive/hive.ts"
import { type Onboarding, onboard, type Proposal } from "../knowledge/project/onboard.ts"
import { detectDrift, scanHive } from "../knowledge/project/scan-hive.ts"
import { type Drift, isDrift } from "../project/scan/drift.ts"
import { hivePaths } from "../store/files/layout.ts"
import { readText, replaceText } from "../store/files/text-file.ts"
import { documentsView, driftView, mapView, onboardingView, techView } from "../views/project-map.ts"
import { codemapCommand } from "./codemap.ts"
import { editJsonc, parseJsonc, valueAt } from "./install/jsonc.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { filesRead, withCount } from "./terminal/progress.ts"
import { type Style, viewLines } from "./terminal/style.ts"

export const command: CliCommand<{ full?: boolean }> = {
  configure(scan) {
    const parts = ["map", "drift", "frameworks", "documents"]
    scan
      .addArgument(scan.createArgument("[what]", "the part to show (default: map)").choices(parts))
      .option("--full", "read every file again, not only changed ones")
  },

  help: "Example: hivemind scan documents",

  run: (input) =>
    withHive(input, ({ hive }) =>
      withCount(input.io, filesRead, async (onProgress) => {
        const [what = "map"] = input.args
        const { style } = input
        if (what === "drift") {
          const { drift } = await detectDrift(hive, { onProgress })
          return { data: { scanned: drift !== null, ...drift }, text: driftLines(drift, style) }
        }
        const caller = { session: null, agent: null, tool: "hivemind scan" }
        const mode = input.options.full === true ? "full" : "incremental"
        const scan = await scanHive(hive, caller, mode, { onProgress })
        const { map, drift, facts } = scan
        if (what === "frameworks") {
          const { frameworks, managers, packages, commands } = map
          return { data: { frameworks, managers, packages, commands }, text: viewLines(techView(map), style) }
        }
        if (what === "documents") {
          const { documents, dead_references } = map
          return { data: { documents, dead_references }, text: viewLines(documentsView(map), style) }
        }
        const mems = facts?.made.map(({ id, content }) => ({ id, content })) ?? []
        return { data: { map, drift, mems }, text: viewLines(mapView(scan), style) }
      }),
    ),
}

function driftLines(drift: Drift | null, style: Style): string[] {
  if (drift === null) return ["There is no scan yet: run `hivemind scan`."]
  return isDrift(drift) ? viewLines(driftView(drift), style) : ["Nothing has changed since the last scan."]
}

const onboardCommand: CliCommand<{ dryRun?: boolean; apply?: boolean }> = {
  configure(onboarding) {
    onboarding
      .option("--dry-run", "write nothing, and print the profile")
      .option(
        "--apply",
        "write the proposed path_scopes (paths that a role may not write) into the project's configuration",
      )
  },

  help: "Example: hivemind scan onboard --apply",

  run: (input) =>
    withHive(input, async ({ place, hive }) => {
      const { dryRun = false, apply } = input.options
      const caller = { session: null, agent: null, tool: "hivemind scan onboard" }
      const done = await withCount(input.io, filesRead, (onProgress) =>
        onboard(hive, caller, { dryRun, onProgress }),
      )
      const { scan, profile, proposal } = done
      const { text, ...written } = profile
      const folders = agentFolders(input.io.env, input.io.home)
      const past = await pastSessionsOffer(place, folders, hive.store.read().state)
      if (past !== undefined) proposal.questions.push(past)
      const applied = apply === true && !dryRun ? applyScopes(hive, proposal) : null
      const mems = scan.facts?.made.map(({ id, content }) => ({ id, content })) ?? []
      return {
        data: { dry_run: dryRun, profile: dryRun ? profile : written, mems, proposal, applied },
        text: dryRun ? text : onboardingLines(done, input.style, applied),
      }
    }),
}

type AppliedScopes = { path: string; added: string[] }

function applyScopes(hive: Hive, { config, because }: Proposal): AppliedScopes {
  const file = hivePaths(hive.home).config
  const path = relative(hive.home, file)
  if (config === null) return { path, added: [] }
  const before = readText(file) ?? ""
  const after = withScopes(before, path, config.path_scopes)
  if (after !== before) replaceText(file, after)
  return { path, added: because }
}

function withScopes(text: string, file: string, wanted: Readonly<Record<string, readonly string[]>>): string {
  let edited = text
  for (const [role, globs] of Object.entries(wanted))
    for (const glob of globs) {
      const scopes = valueAt(parseJsonc(edited, file).root, "path_scopes")
      const isThere = valueAt(scopes, role)?.children?.some(({ value }) => value === glob) === true
      if (!isThere) edited = editJsonc(edited, ["path_scopes", role], { append: glob }, file)
    }
  return edited
}

function onboardingLines(done: Onboarding, style: Style, applied: AppliedScopes | null): string[] {
  const { config, because } = done.proposal
  const scopes = because.map((reason) => `hive-executor keeps out of ${reason}`)
  const proposed = config === null ? [] : [...scopes, "`hivemind scan onboard --apply` writes them"]
  const { ask_the_user: questions, proposed: _, profile, ...map } = onboardingView(done)
  const shown = {
    ...map,
    profile: `${profile.path}: ${profile.outcome}`,
    "verify with": done.proposal.verify.map(({ command: run, folder }) =>
      folder === "" ? run : `${run} in ${folder}`,
    ),
    ...(applied === null
      ? { proposed }
      : applied.added.length === 0
        ? { applied: `nothing to add to ${applied.path}` }
        : { applied: [`to ${applied.path}:`, ...scopes] }),
    questions: questions.filter((question) => applied === null || !question.includes("path_scopes")),
  }
  return viewLines(shown, style)
}

export const views: Record<string, CliCommand> = { codemap: codemapCommand, onboard: onboardCommand }
