import { sessionOf } from "../graph/read-head.ts"
import { type Checkpoint, task as taskSchema } from "../schemas/task.ts"
import { counted } from "../shared/amounts.ts"
import { shortId } from "../shared/ids.ts"
import { readableStamp } from "../shared/stamp.ts"
import { shorten } from "../shared/text/clean.ts"
import { localTime } from "../shared/time.ts"
import {
  listTasks,
  type TaskDetail,
  type TaskFilter,
  type TaskRow,
  taskDetail,
} from "../views/lists/tasks.ts"
import { takeTask } from "../work/task/edit-task.ts"
import { closeTask } from "../work/task/finish.ts"
import { findHostId } from "./project/find-session.ts"
import { withHive } from "./project/open-project.ts"
import { changeForPerson, requireIdArgument } from "./project/person-change.ts"
import { type CliCommand, textLines } from "./terminal/command.ts"
import { memLine, refusalLine, spentText } from "./terminal/detail-text.ts"
import { listing } from "./terminal/listing.ts"
import { addListingOptions, choiceOption, definedOnly, type ListingOptions } from "./terminal/options.ts"
import { fieldLines, firstLines, type Style } from "./terminal/style.ts"

interface TasksOptions extends ListingOptions {
  status?: NonNullable<TaskFilter["status"]>
  plan?: string
  session?: string
  close?: "done" | "failed"
  reason?: string
  take?: boolean
}

export const command: CliCommand<TasksOptions> = {
  configure(tasks) {
    const statuses = ["open", "over", ...taskSchema.shape.status.options]
    const close = "end the task, even if a session holds it; its check is not run"
    tasks
      .argument("[id]", "one task in full: its id, or the start of it")
      .addOption(choiceOption("--status <status>", "only tasks with that status", statuses))
      .option("--plan <id>", "only tasks of that plan: its id, or the start of it")
      .option("--session <session>", "only tasks that this session started: its time or id")
      .addOption(choiceOption("--close [how]", close, ["done", "failed"]).preset("done"))
      .option("--reason <reason>", "with --close: the result, or why it failed")
      .option("--take", "take the task from the session that holds it, so that another can start it")
    addListingOptions(tasks)
  },

  help: "Example: hivemind tasks --plan 1a2b3c4d --status open",

  run: (input) =>
    withHive(input, async ({ hive }) => {
      const [id] = input.args
      const { status, plan, session, find, close, reason = "closed by the user", take } = input.options
      if (close !== undefined) {
        const wanted = requireIdArgument(id, "tasks", "--close")
        return changeForPerson(input, hive, "tasks", async (caller) => {
          const outcome = close === "failed" ? "failed" : "completed"
          const closed = await closeTask(hive, caller, wanted, { outcome, reason })
          const next = closed.unblocked.map(({ title }) => `\n"${title}" is no longer blocked by it.`)
          const text = `The task "${closed.task.title}" is ${closed.task.status}.${next.join("")}`
          return { data: { ...closed }, text }
        })
      }
      if (take === true) {
        const wanted = requireIdArgument(id, "tasks", "--take")
        return changeForPerson(input, hive, "tasks", async (caller) => {
          const { task, from } = await takeTask(hive, caller, wanted)
          const holder = sessionOf(hive.store.read().state, from)?.stamp ?? from
          const text = `Taken from session ${holder}: "${task.title}" is ${task.status}, and any session can start it.`
          return { data: { task, taken_from: from }, text }
        })
      }
      const { style } = input
      if (id !== undefined) {
        const task = await taskDetail(hive, id)
        return { data: { task }, text: detailLines(task, style) }
      }
      const host = session === undefined ? undefined : await findHostId(hive, session)
      const filter = definedOnly({ status, plan, session: host, words: find })
      return listing(input, listTasks(hive, filter, input.options), {
        filter,
        none: "There are no tasks yet: tasks come with a plan.",
        noneFound: "No such task.",
        render: (task) => taskLines(task, style),
      })
    }),
}

function taskLines(task: TaskRow, style: Style): string[] {
  const { short, status, title, plan, phase, held_by, assigned_to, waits, checkpoints } = task
  const facts = textLines([
    textLines([plan?.title, phase]).join(" / "),
    held_by && `session of ${readableStamp(held_by)}`,
    assigned_to && `for ${assigned_to}`,
    checkpoints > 0 && counted(checkpoints, "checkpoint"),
    waits,
  ])
  return [
    `${style("cyan", short)} ${status.padEnd(STATUS_WIDTH)} ${style("bold", shorten(title, 90))}`,
    `${" ".repeat(short.length + STATUS_WIDTH + 2)}${style("dim", facts.map((each) => shorten(each, MAX_FACT)).join(" · "))}`,
  ]
}

function detailLines(task: TaskDetail, style: Style): string[] {
  const { record, did, files, parts, mems, delegations, refusals, spent } = task
  const fields = {
    expected: record.expected_output,
    check: record.verify,
    after: record.depends_on.map(shortId),
    locks: record.file_locks,
    started: record.started_at && localTime(record.started_at),
    completed: record.completed_at && localTime(record.completed_at),
    evidence: record.evidence,
    reason: record.reason,
    spent: spentText(spent),
    checkpoints: firstLines(did.toReversed().map(checkpointLine)),
    files: firstLines(files),
    parts: firstLines(parts.map((part) => `${part.short} ${part.status} ${part.title}`)),
    mems: firstLines(mems.map(memLine)),
    delegated: firstLines(delegations.map(({ to_agent, status }) => `${to_agent}: ${status}`)),
    refused: firstLines(refusals.map(refusalLine)),
  }
  return [...taskLines(task, style), "", ...fieldLines(fields, style)]
}

function checkpointLine({ created_at, summary, ok, run }: Checkpoint): string {
  const ended = run === null ? (ok ? "" : " (failed)") : ` (exit ${run.exit})`
  return `${localTime(created_at)} ${shorten(summary, MAX_FACT)}${ended}`
}

const STATUS_WIDTH = 9
const MAX_FACT = 120
