import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { type ActionOf, type ToolName, toolName } from "../../shared/tool-names.ts"
import type { ToolReply } from "../../tools/tool.ts"

/** What a call of ours did, in one line for people. */
export function titleOf(tool: string, args: unknown, reply: ToolReply): string {
  const given = fieldsOf(args)
  const action = typeof given["action"] === "string" ? given["action"] : ""
  if (reply.status === "error")
    return shorten(`${action === "" ? "call" : action} refused: ${reply.what}`, MAX_TITLE)
  if (typeof given["command"] === "string") return shorten(given["command"], MAX_TITLE)
  const says = BY_NAME.get(tool)?.[action]
  return shorten(says?.(given, reply) ?? action, MAX_TITLE)
}

type Fields = Readonly<Record<string, unknown>>
type Says = (args: Fields, reply: Fields) => string

// Typed by the tools' actions: one without a title does not compile.
const TITLES: { [T in ToolName]: Record<ActionOf<T>, Says> } = {
  session: {
    start: ({ intent }) => `session began: ${text(intent)}`,
    update: ({ content, level }, { note }) =>
      `now at: ${text(content)}${level === "action" && note !== undefined ? " (not started)" : ""}`,
    status: (_, { plan }) => `where the session stands${about(fieldsOf(plan)["title"])}`,
    close: (_, { stamp }) => `closed session ${text(stamp)}`,
    resume: (_, { stamp }) => `took up session ${text(stamp)}`,
    settle: ({ take }) => `settled a conflict: ${text(take)}`,
    restore: ({ snapshot }, { restored }) =>
      snapshot === undefined
        ? "listed snapshots"
        : `restored ${counted(Number(restored), "file")} from ${text(snapshot)}`,
  },
  plan: {
    create: ({ title }) => `made the plan: ${text(title)}`,
    plan_tasks: (_, { tasks }) => `planned ${counted(many(tasks), "task")}: ${titles(tasks)}`,
    status: (_, { plans }) => `how far the plans are${about(titles(plans))}`,
    archive: (_, { title }) => `put the plan away: ${text(title)}`,
    abandon: ({ reason }, { title }) => `gave the plan up: ${text(title)}, ${text(reason)}`,
  },
  task: {
    start: (_, { title }) => `started the task: ${text(title)}`,
    complete: (_, { title, next }) => `completed: ${text(title)}${then(next)}`,
    fail: ({ reason }, { title }) => `failed: ${text(title)}, ${text(reason)}`,
    review: (_, { title }) => `up for review: ${text(title)}`,
    status: (_, { title, task_status }) => `how far the task is: ${text(title)} (${text(task_status)})`,
  },
  delegate: {
    assign: ({ task_id }, { agent }) => `handed ${shortId(text(task_id))} to ${text(agent)}`,
    research: ({ question }) => `asked a researcher: ${text(question)}`,
    recall: ({ reason }) => `took work back: ${text(reason)}`,
    status: (_, { delegations }) => `who works for whom: ${counted(many(delegations), "delegation")}`,
  },
  shell: {},
  memory: {
    save: ({ content }) => `remembered: ${text(content)}`,
    recall: ({ query }, { count }) => `recalled ${text(count)} about: ${text(query)}`,
    list: (_, { count }) => `listed ${counted(Number(count), "mem")}`,
    link: ({ from, to }) => `linked ${shortId(text(from))} to ${shortId(text(to))}`,
    flag: ({ mem_id, reason }) => `flagged ${shortId(text(mem_id))} as wrong: ${text(reason)}`,
    stale: (_, { count }) => `${counted(Number(count), "stale mem")}`,
    purge: (_, { purged }) => `purged ${counted(Number(purged), "mem")}`,
    tree: (_, { tree }) => `what is remembered, on ${counted(many(tree), "shelf", "shelves")}`,
  },
  anchor: {
    save: ({ key, value }) => `anchored ${text(key)}: ${text(value)}`,
    list: (_, { count }) => `listed ${counted(Number(count), "anchor")}`,
    get: (_, { key, value }) => `anchor ${text(key)}: ${text(value)}`,
    update: ({ key, value }) => `anchored anew ${text(key)}: ${text(value)}`,
    remove: ({ key }) => `removed the anchor ${text(key)}`,
  },
  inspect: {
    scan: (_, { look }) => `what needs a look: ${many(look) === 0 ? "nothing" : many(look)}`,
    deep: (_, { kind, id }) => `looked at ${text(kind)} ${text(id)}`,
    drift: (_, { drift }) => `drift ${text(fieldsOf(drift)["score"])} of 100`,
    trace: ({ stamp }, { hits }) => `traced ${text(stamp)}: ${counted(many(hits), "hit")}`,
  },
  hierarchy: {
    status: (_, { here }) => `the tree of plans${about(here)}`,
    prune: (_, { count }) => `folded ${counted(Number(count ?? 0), "finished branch", "finished branches")}`,
    migrate: (_, { kept_as_bak }) => `took over older files, ${text(kept_as_bak ?? 0)} kept as .bak`,
  },
  cycle: {
    export: (_, { file }) => `exported to ${text(file)}`,
    list: (_, { count }) => `listed ${counted(Number(count), "export")}`,
    prune: (_, { kept, removed }) => `deleted ${counted(Number(removed), "export")}, kept ${text(kept)}`,
  },
  scan: {
    full: ({ onboard }) => (onboard === true ? "got to know the project" : "scanned the project"),
    incremental: () => "scanned what has changed in the project",
    drift: () => "what has changed since the last scan",
    frameworks: () => "the project's frameworks",
    documents: () => "the project's documents",
  },
  codemap: {
    scan: ({ path }) => `mapped the code${about(path)}`,
    diff: () => "what has changed in the code",
    inconsistencies: ({ path }) => `comments and imports that are wrong${about(path)}`,
    todos: ({ path }) => `todos in the code${about(path)}`,
    graph: ({ path }) =>
      path === undefined ? "how the code hangs together" : `what depends on ${text(path)}`,
  },
}

const BY_NAME = new Map<string, Partial<Record<string, Says>>>(
  Object.entries(TITLES).map(([tool, titles]) => [toolName(tool as ToolName), titles]),
)

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

function about(value: unknown): string {
  return text(value) === "" ? "" : `: ${text(value)}`
}

function then(next: unknown): string {
  const title = text(fieldsOf(next)["title"])
  return title === "" ? "" : `; next: ${title}`
}

function many(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}

function titles(list: unknown): string {
  return Array.isArray(list) ? list.map((each) => text(fieldsOf(each)["title"])).join(", ") : ""
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {}
}

const MAX_TITLE = 100
