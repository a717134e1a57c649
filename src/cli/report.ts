import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Hive } from "../hive/hive.ts"
import { askGit } from "../project/git/git.ts"
import { type Mem, readEvidence } from "../schemas/knowledge.ts"
import type { Task } from "../schemas/task.ts"
import { counted } from "../shared/amounts.ts"
import { oneLine, shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import { chooseRemote } from "../sync/remote.ts"
import { type CheckRow, type ReportScope, type WorkReport, workReport } from "../views/work-report.ts"
import { withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { spentText } from "./terminal/detail-text.ts"
import { definedOnly, timeOption } from "./terminal/options.ts"

export const command: CliCommand<ReportScope> = {
  configure(report) {
    report
      .addOption(timeOption("--since <time>", "only work after this time"))
      .option("--plan <plan>", "only work on that plan: its id, or the start of it")
      .option("--branch <branch>", "only work on that branch (default without other options: this branch)")
  },

  help: "Example: hivemind report | gh pr create --title Login --body-file -",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const { since, plan, branch } = input.options
      const given = definedOnly({ since, plan, branch })
      const here = hive.branch() ?? undefined
      const scope: ReportScope = Object.keys(given).length > 0 ? given : definedOnly({ branch: here })
      const report = await workReport(hive, scope)
      const text = markdown(report, await fileLinks(hive, scope.branch ?? here))
      const where = scope.branch === undefined ? "" : ` on branch ${scope.branch}`
      const none = `No work was recorded${where}. \`--plan\`, \`--branch\` and \`--since\` choose other work.`
      return { data: { scope, ...report }, text: text.length === 0 ? none : text }
    }),
}

type LinkTo = (path: string, lines?: string) => string

function markdown(report: WorkReport, link: LinkTo): string[] {
  const { plans, asked, decided, undecided, done, unfinished, given_up, false_paths, files, spent } = report
  const accepted = plans.flatMap(({ title, acceptance }) => acceptance.map((each) => `${title}: ${each}`))
  const mems = (found: readonly Mem[]) => found.map((mem) => memText(mem, link))
  const parts = {
    Asked: asked.map(said),
    "Accepted if": accepted.map(said),
    Decided: mems(decided),
    "Still to decide": mems(undecided),
    Done: done.map(withDetail),
    "Not finished": unfinished.map((task) => `${said(task.title)} (${task.status})`),
    Verified: report.checks.map((check) => checkText(check, link)),
    "Tried and failed": [...mems(false_paths), ...given_up.map(withDetail)],
    Files: files.map(({ path, removed }) => (removed ? `${code(path)} (removed)` : link(path))),
    "Cost of these tasks": [spentText(spent) ?? []].flat(),
  }
  return Object.entries(parts).flatMap(([title, lines]) => part(title, lines))
}

function part(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length - MAX_LINES
  const shown = lines.slice(0, MAX_LINES).map((line) => `- ${line}`)
  return [`## ${title}`, "", ...shown, ...(more > 0 ? [`- and ${more} more`] : []), ""]
}

function withDetail({ title, evidence, reason }: Task): string {
  const detail = evidence ?? reason
  return detail === null ? said(title) : `${said(title)}: ${said(detail)}`
}

function memText({ content, reason, status, scope, evidence }: Mem, link: LinkTo): string {
  const why = status === "active" || reason === null ? "" : ` (taken back: ${said(reason)})`
  const where = scope === null ? "" : ` (${said(scope)})`
  const files = evidence.map((each) => {
    const { path, lines } = readEvidence(each)
    return link(path, lines)
  })
  return `${said(content)}${where}${why}${files.length === 0 ? "" : ` — ${files.join(", ")}`}`
}

function checkText({ command, ok, exit, at, runs, failed, changed_since }: CheckRow, link: LinkTo): string {
  const result = `${ok ? "passed" : "**failed**"}${exit === null ? "" : ` (exit ${exit})`}`
  const before = failed - (ok ? 0 : 1)
  const often = runs === 1 ? "" : `, ${runs} runs${before === 0 ? "" : `, ${before} failed before`}`
  const later = changed_since.slice(0, 5).map((path) => link(path))
  const more = changed_since.length - later.length
  const since = later.length === 0 ? "" : `. **Changed since:** ${later.join(", ")}`
  return `${code(command)} ${result}, ${localTime(at)}${often}${since}${more > 0 ? ` and ${counted(more, "file")} more` : ""}`
}

/** Returns a function that links files of the project to their page on GitHub or GitLab, else by a relative path. */
async function fileLinks({ dir }: Hive, branch: string | undefined): Promise<LinkTo> {
  const remote = await chooseRemote(dir)
  const url = remote === undefined ? "" : ((await askGit(dir, ["remote", "get-url", remote])) ?? "")
  const [, host, repository] = REMOTE.exec(url.trim()) ?? []
  const view = host === "gitlab.com" ? "-/blob" : "blob"
  const base =
    host === undefined ? "" : `https://${host}/${repository}/${view}/${encodeURI(branch ?? "HEAD")}/`
  return (path, lines = "") => {
    if (!existsSync(join(dir, path))) return said(path)
    const at = lines === "" ? "" : `#L${lines.replace("-", "-L")}`
    const target = encodeURI(path).replaceAll(/[#?()]/g, encodeURIComponent)
    return `[${code(lines === "" ? path : `${path}:${lines}`)}](${base}${target}${at})`
  }
}

function said(text: string): string {
  return shorten(text, 400).replaceAll(/[<[\]]/g, "\\$&")
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll("`", "'")}\``
}

// The URL may contain a user name or a token: neither is captured.
const REMOTE = /^(?:https?:\/\/|ssh:\/\/)?(?:[^@/]*@)?(github\.com|gitlab\.com)[:/](.+?)(?:\.git)?\/?$/
const MAX_LINES = 50
